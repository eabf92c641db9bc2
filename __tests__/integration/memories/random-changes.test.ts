import { describe, expect, it } from "@jest/globals";
import {
  type MemoryBackend,
  applyChange,
  type Change,
  type ChangeResult,
  MemoryTree,
} from "../../../src/custom-backend/index.js";
import type { CheckedAddress } from "../../../src/core/values/address.js";
import { MemoryError } from "../../../src/index.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { noResult } from "../../../src/core/tree/change.js";
import { addressFor } from "../../../src/core/values/address.js";
import { ROOT } from "../../../src/core/values/paths.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { recordEdits, type RecordedEdits } from "../../../src/mongodb/history/record-edits.js";
import type { MemoryDocument } from "../../../src/mongodb/memories/documents/page-document.js";
import { openCollections } from "../../../src/mongodb/memories/collections.js";
import type { MemoriesContext } from "../../../src/mongodb/memories/memory-context.js";
import { openMongoMemory } from "../../../src/mongodb/memories/mongo-memory.js";
import { recordedChange } from "../../../src/mongodb/memories/outbox/outbox.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { describeVariant, type Place, variants } from "../../helpers/page-sizes.js";
import { describeTree, MemoryReader } from "../../helpers/read-everything.js";
import { repetitions } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const changesOfMemory = 60;
const limits = { maxFileBytes: 600, maxMemoryBytes: 15_000_000 };
const call = createUnlimitedCall();

let now = new Date(0);

/** Opens a collection twice, as two processes would: what one of them knows of the pages is often out of date. */
function openCollection([kind, pageBytes]: Place, keepsHistory: boolean) {
  const { db, client } = testDatabase(kind);
  const collectionName = "memories";
  const openProcess = (): MemoriesContext =>
    openCollections({
      db,
      client,
      collectionName,
      connect: () => undefined,
      clock: () => now,
      expireMs: {},
      history: keepsHistory ? { begins: true } : null,
      embeddings: null,
      makesIndexes: true,
      pageBytes,
    });
  const [first, second] = [openProcess(), openProcess()];
  const open = (address: CheckedAddress): [MemoryBackend, MemoryBackend] => [
    openMongoMemory(first, address, limits),
    openMongoMemory(second, address, limits),
  ];
  return { open, memories: db.collection(collectionName) };
}

type Choose = <T>(values: readonly [T, ...T[]]) => T;

/** Numbers of one seed, so that a failure can be repeated. */
function createChoose(seed: number): Choose {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)] ?? values[0];
  };
}

const names = ["a", "a-b", "b", "c.d", "$x", "ä", "%25", "_bsontype"] as const;
const texts = ["", "x", "line\n", "\nl", "ab ab", "äöü", "\u{1F600}", "$data", "y".repeat(200)] as const;

function pickPath(pick: Choose): string {
  const depth = pick([0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
  return ROOT + Array.from({ length: depth }, () => pick(names)).join("/");
}

function pickChange(pick: Choose): Change {
  const [path, content] = [pickPath(pick), pick(texts)];
  const type = pick(["append", "append", "write", "write", "update", "edit", "delete", "rename"] as const);
  switch (type) {
    case "append":
      return { type, path, content, create: pick([true, true, false]) };
    case "write":
      return { type, path, content, ifExists: pick(["replace", "fail"]), ifMissing: pick(["create", "fail"]) };
    case "update":
      return { type, path, oldContent: pick(["a", "ab ", "x", "ä"]), content };
    case "edit":
      return { type, path, edit: (text) => Array.from(text).slice(1).join("") + content };
    case "delete":
      return { type, path, ifDirectory: pick(["delete", "fail"]) };
    case "rename": {
      const to = pickPath(pick);
      // The pipeline refuses it before.
      const isIllegal = path === ROOT || to === ROOT || to === path || to.startsWith(`${path}/`);
      return isIllegal ? { type: "append", path, content, create: true } : { type, path, to };
    }
  }
}

/** What the change answered, or why it was refused. */
async function getAnswer(change: Change, run: () => Promise<ChangeResult> | ChangeResult): Promise<object> {
  try {
    const result = await run();
    // A storage may leave the file out.
    return change.type === "append" || change.type === "update" ? { ...result, file: noResult.file } : result;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return { code: error.code, message: error.message, path: error.path };
  }
}

/** Makes the change in the tree. */
function changeTree(tree: MemoryTree, change: Change, recorded: RecordedEdits[]): ChangeResult {
  const { edits, result } = applyChange(tree, change, { now, maxFileBytes: limits.maxFileBytes });
  const made = recordEdits(tree, edits);
  if (made !== null) recorded.push(made);
  tree.commit(edits);
  return result;
}

describe.each(variants.map((variant) => [describeVariant(variant), variant] as const))(
  "random changes, %s",
  (_title, { place, history }) => {
    const { open, memories } = openCollection(place, history);

    it.each(Array.from({ length: repetitions({ usual: 1, long: 10 }) }, (_, index) => index + 1))(
      "are answered, refused, stored and recorded as the tree says (seed %i)",
      async (seed) => {
        const pick = createChoose(seed);
        const address = addressFor(freshAddress().nodeId, "global", null);
        const processes = open(address);
        const readers = [new MemoryReader(processes[0]), new MemoryReader(processes[1])] as const;
        const tree = new MemoryTree({ files: [], directories: [], revision: 0 });
        const recorded: RecordedEdits[] = [];
        let refused = 0;
        for (let round = 1; round <= changesOfMemory; round += 1) {
          now = new Date(round);
          const [memory, reader] = [pick(processes), pick(readers)];
          const change = pickChange(pick);
          const answer = await getAnswer(change, () => memory.change(change, {}, call));
          const expected = await getAnswer(change, () => changeTree(tree, change, recorded));
          if ("code" in expected) refused += 1;
          expect({ round, change, answer }).toEqual({ round, change, answer: expected });
          const path = pickPath(pick);
          expect({ round, change, path, ...(await reader.read(path)) }).toEqual({
            round,
            change,
            path,
            ...(await describeTree(tree, path)),
          });
          const faults = findPageFaults(await readStoredPages(memories, address));
          expect({ round, change, faults }).toEqual({ round, change, faults: [] });
          await checkOutbox(address, recorded);
        }
        expect(refused).toBeGreaterThan(1);
      },
    );

    /** What the change of this round told the history, if it is not moved out of its page yet. */
    async function checkOutbox({ nodeId }: CheckedAddress, recorded: RecordedEdits[]): Promise<void> {
      const pages = await memories.find<MemoryDocument>({ nodeId }).toArray();
      const last = pages.flatMap(({ outbox = [] }) => outbox).find(({ at }) => at.getTime() === now.getTime());
      const made = recorded.at(-1);
      if (last !== undefined && made !== undefined)
        expect(describeEdits(recordedChange(last, ""))).toEqual(describeEdits(made));
    }
  },
);

function describeEdits({ files, directories }: RecordedEdits): unknown {
  const { added = [], removed = [], moved = null } = directories;
  const told = files.map(({ path, from, gone }) => JSON.stringify({ path, from, gone }));
  return { files: told.toSorted(compareCodeUnits), removed: removed.toSorted(), added: added.toSorted(), moved };
}
