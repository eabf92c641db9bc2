import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { describe, expect, it } from "@jest/globals";
import type { MemoryBackend } from "../../../src/core/contract/backend.js";
import { applyChange } from "../../../src/core/tree/apply-change.js";
import { type Change, type ChangeResult, noResult } from "../../../src/core/tree/change.js";
import { MemoryTree } from "../../../src/core/tree/memory-tree.js";
import { addressFor, type CheckedAddress } from "../../../src/core/values/address.js";
import { MemoryError } from "../../../src/core/values/errors.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { recordEdits, type RecordedEdits } from "../../../src/mongodb/history/record-edits.js";
import type { MemoryLayout } from "../../../src/mongodb/memories/contract/layout.js";
import { openLayout } from "../../../src/mongodb/memories/layouts.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, db, name } = testDatabase("replicaSet");
const maxFileBytes = 60;
const names = ["a", "b", "c", "é"];
const texts = ["", "x", "y\n", "xx", "a long text of the kind of thirty", "\u{1F600}"];

function openFiles(keepsHistory: boolean): MemoryLayout {
  return openLayout("files", {
    db,
    client,
    collectionName: `${name}-${keepsHistory}`.slice(0, 40),
    writeConcern: { w: "majority", journal: false },
    connect: () => undefined,
    clock: () => new Date(),
    expireMs: {},
    history: keepsHistory ? { begins: true } : null,
    embeddings: null,
    makesIndexes: true,
  });
}

/** Numbers that a seed repeats. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function createChange(random: (below: number) => number): Change {
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T => values[random(values.length)] as T;
  const path = `/${Array.from({ length: 1 + random(3) }, () => pick(names)).join("/")}`;
  const content = pick(texts);
  switch (random(7)) {
    case 0:
      return { type: "append", path, content, create: random(4) > 0 };
    case 1:
    case 2:
      return {
        type: "write",
        path,
        content,
        ifExists: random(4) > 0 ? "replace" : "fail",
        ifMissing: random(4) > 0 ? "create" : "fail",
      };
    case 3:
      return { type: "update", path, oldContent: pick(["x", "y", "a long"]), content };
    case 4:
      return { type: "edit", path, edit: (text) => `${text}${content}` };
    case 5:
      return { type: "delete", path: random(12) === 0 ? "/" : path, ifDirectory: random(4) > 0 ? "delete" : "fail" };
    default: {
      const to = `/${Array.from({ length: 1 + random(3) }, () => pick(names)).join("/")}`;
      return to === path || to.startsWith(`${path}/`)
        ? { type: "append", path, content, create: true }
        : { type: "rename", path, to };
    }
  }
}

/** What a change answers, without times; or the code of its refusal. */
type Answer = { replaced: number; deleted: ChangeResult["deleted"] } | { code: string };

async function getAnswer(run: () => Promise<Partial<ChangeResult>> | Partial<ChangeResult>): Promise<Answer> {
  try {
    const { replaced, deleted } = { ...noResult, ...(await run()) };
    return { replaced, deleted };
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return { code: error.code };
  }
}

async function makeChange(memory: MemoryBackend, change: Change): Promise<Partial<ChangeResult>> {
  const { replaced, deleted } = await memory.change(change, {}, createUnlimitedCall());
  return { replaced, deleted };
}

/** What a change would do to the tree; it is made there. */
function applyToTree(tree: MemoryTree, change: Change, recorded: RecordedEdits[]): ChangeResult {
  const { edits, result } = applyChange(tree, change, { now: new Date(), maxFileBytes });
  const made = recordEdits(tree, edits);
  if (made !== null) recorded.push(made);
  tree.commit(edits);
  return result;
}

function toShape({ files, directories }: Pick<ReturnType<MemoryTree["snapshot"]>, "files" | "directories">): unknown {
  const shapes = files.map(({ path, content, sizeBytes }) => [path, content, sizeBytes] as const);
  return [shapes.toSorted(([a], [b]) => compareCodeUnits(a, b)), directories.toSorted(compareCodeUnits)];
}

describe.each([
  { title: "without history", keepsHistory: false, concurrent: 1 },
  { title: "with history", keepsHistory: true, concurrent: 1 },
  { title: "with history, many changes in one transaction", keepsHistory: true, concurrent: 12 },
])("the layout files, $title", ({ keepsHistory, concurrent }) => {
  const layout = openFiles(keepsHistory);

  // Requirement: files.document-for-each-file, files.transactions
  it.each(Array.from({ length: repetitions({ usual: 2, long: 100 }) }, (_, seed) => seed))(
    "does what the tree of changes says (seed %i)",
    async (seed) => {
      const random = createRandom(seed * 7919 + concurrent);
      const address = addressFor(freshAddress().nodeId, "global", null);
      const memory = layout.backend(address, { maxFileBytes, maxMemoryBytes: Infinity });
      const tree = new MemoryTree({ files: [], directories: [], revision: null });
      const recorded: RecordedEdits[] = [];
      for (let round = 0; round < 60 / Math.sqrt(concurrent); round += 1) {
        const changes = Array.from({ length: 1 + random(concurrent) }, () => createChange(random));
        const answers = await Promise.all(changes.map((change) => getAnswer(() => makeChange(memory, change))));
        const expected: Answer[] = [];
        for (const change of changes) expected.push(await getAnswer(() => applyToTree(tree, change, recorded)));
        expect({ changes, answers }).toEqual({ changes, answers: expected });
        expect(toShape(await memory.snapshot(createUnlimitedCall()))).toEqual(toShape(tree.snapshot()));
      }
      await checkDocuments(address, tree);
      if (keepsHistory) await checkVersions(address, recorded);
    },
  );

  async function checkDocuments(address: CheckedAddress, tree: MemoryTree): Promise<void> {
    const documents = await db
      .collection(layout.collectionNames[0] ?? "")
      .find({ _id: { $exists: true } })
      .toArray();
    const own = documents.filter(({ _id }) => String(_id).startsWith(`g\u0001${address.nodeId}\0`));
    expect(own).toHaveLength(tree.files.size + tree.directories.size + 1);
    const ids = own.flatMap(({ textId }) => (textId as string | undefined) ?? []);
    expect(new Set(ids).size).toBe(tree.files.size);
  }

  async function checkVersions(address: CheckedAddress, recorded: RecordedEdits[]): Promise<void> {
    const versions = db.collection(layout.collectionNames[1] ?? "");
    const owner = await versions.findOne({ nodeId: address.nodeId });
    const found = await versions
      .find({ _id: { $regex: `^${String(owner?._id)}\\.` } as never })
      .sort({ _id: 1 })
      .toArray();
    const told = found.map(({ path, from, directories }) => ({ path, from, directories }));
    expect(told).toEqual(
      recorded.flatMap(({ files, directories }) =>
        (files.length === 0 ? [{ path: undefined, from: undefined }] : files).map(({ path, from }, index) => ({
          path,
          from,
          directories: index === 0 && Object.keys(directories).length > 0 ? directories : undefined,
        })),
      ),
    );
  }
});
