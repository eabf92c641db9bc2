import { describe, expect, it } from "@jest/globals";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { KeyedMutex } from "../../../src/core/runtime/keyed-mutex.js";
import { applyChange } from "../../../src/core/tree/apply-change.js";
import { type Change, noResult } from "../../../src/core/tree/change.js";
import { MemoryTree } from "../../../src/core/tree/memory-tree.js";
import { checkAddress } from "../../../src/core/values/address.js";
import { MemoryError } from "../../../src/core/values/errors.js";
import { ROOT } from "../../../src/core/values/paths.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { ChangeStreams } from "../../../src/mongodb/driver/change-streams.js";
import { ExactCollection } from "../../../src/mongodb/driver/exact-collection.js";
import { VectorCollection } from "../../../src/mongodb/embeddings/vector-collection.js";
import { VersionCollection } from "../../../src/mongodb/history/version-collection.js";
import { recordEdits } from "../../../src/mongodb/history/record-edits.js";
import type { MemoryDocument } from "../../../src/mongodb/memories/document/document.js";
import { DocumentStorage } from "../../../src/mongodb/memories/document/document-storage.js";
import { recordedChange } from "../../../src/mongodb/memories/document/outbox.js";
import { MemoryExpiry } from "../../../src/mongodb/memories/memory-expiry.js";
import { MongoMemory } from "../../../src/mongodb/memories/mongo-memory.js";
import { RecordCollection } from "../../../src/mongodb/proposals/record-collection.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const changesOfMemory = 60;
const memories = Math.ceil(repetitions({ usual: 600, long: 10_000 }) / changesOfMemory / 2);
const limits = { maxFileBytes: 600, maxMemoryBytes: 15_000_000 };

const { db } = testDatabase("standalone");
const documents = db.collection<MemoryDocument>("memories");

let now = new Date(0);
const clock = (): Date => now;
const call = createUnlimitedCall();

function openMemory(nodeId: string, withHistory: boolean): MongoMemory {
  const options = { writeConcern: {}, connect: () => undefined, clock };
  const versions = new VersionCollection(new ExactCollection(db.collection("memories_versions")), {}, clock);
  const context = {
    collection: new ExactCollection(documents),
    ready: () => undefined,
    edits: new KeyedMutex(),
    clock,
    expiry: new MemoryExpiry({}, clock),
    history: withHistory ? { begins: true } : null,
    versions,
    isGuest: false,
    isReader: false,
    streams: new ChangeStreams(db, "memories"),
    records: RecordCollection.open(db, { name: "memories_proposals", ...options }),
    vectors: VectorCollection.open(db, "memories_vectors", { ...options, expiryIndexes: [], isUsed: false }),
    embeddings: null,
  };
  const address = checkAddress({ nodeId });
  const storage = new DocumentStorage(context, address, limits);
  return new MongoMemory({ ...context, storage: context.edits }, address, storage, limits);
}

/** Numbers of one seed, so that a failure can be repeated. */
function createRandom(seed: number): <T>(values: readonly [T, ...T[]]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)] ?? values[0];
  };
}

type Pick = ReturnType<typeof createRandom>;

const names = ["a", "a-b", "b", "c.d", "$x", "ä", "%25", "_bsontype"] as const;
const texts = ["", "x", "line\n", "\nl", "ab ab", "äöü", "$data", "y".repeat(200)] as const;

function pickPath(pick: Pick): string {
  const depth = pick([0, 1, 1, 1, 2, 2, 2, 3, 3]);
  return ROOT + Array.from({ length: depth }, () => pick(names)).join("/");
}

function pickChange(pick: Pick): Change {
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
      return { type, path, edit: (text) => text.slice(1) + content };
    case "delete":
      return { type, path, ifDirectory: pick(["delete", "fail"]) };
    case "rename":
      return { type, path, to: pickPath(pick) };
  }
}

/** The pipeline refuses it before. */
function isIllegal(change: Change): boolean {
  if (change.type !== "rename") return false;
  const { path, to } = change;
  return path === ROOT || to === ROOT || to === path || to.startsWith(`${path}/`);
}

async function answerOf(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return { code: error.code, message: error.message, path: error.path };
  }
}

function inOrder({ files, directories }: ReturnType<MemoryTree["snapshot"]>): unknown {
  return {
    files: files.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: directories.toSorted(compareCodeUnits),
  };
}

function toldOf(recorded: ReturnType<typeof recordEdits>): unknown {
  const { files = [], directories = {} } = recorded ?? {};
  const told = files.map(({ path, from, gone }) => JSON.stringify({ path, from, gone }));
  return {
    files: told.toSorted(compareCodeUnits),
    removed: (directories.removed ?? []).toSorted(),
    ...restOf(directories),
  };
}

function restOf({ added = [], moved = null }: { added?: string[]; moved?: object | null }): object {
  return { added: added.toSorted(), moved };
}

describe.each([{ withHistory: false }, { withHistory: true }])("random changes, history: $withHistory", (options) => {
  it("are answered, refused, stored and recorded as the tree says", async () => {
    let refused = 0;
    for (let seed = 1; seed <= memories; seed += 1) {
      const pick = createRandom(seed);
      const { nodeId } = freshAddress();
      const memory = openMemory(nodeId, options.withHistory);
      const tree = new MemoryTree({ files: [], directories: [], revision: 0 });
      for (let index = 0; index < changesOfMemory; index += 1) {
        const change = pickChange(pick);
        if (isIllegal(change)) continue;
        now = new Date(index + 1);
        const title = JSON.stringify({ seed, index, change });
        let recorded: ReturnType<typeof recordEdits> = null;
        const expected = await answerOf(() => {
          const { edits, result } = applyChange(tree, change, { now, maxFileBytes: limits.maxFileBytes });
          recorded = recordEdits(tree, edits);
          tree.commit(edits);
          // A storage may leave the file out.
          return change.type === "append" || change.type === "update" ? { ...result, file: noResult.file } : result;
        });
        const answer = await answerOf(async () => {
          const result = await memory.change(change, {}, call);
          return change.type === "append" || change.type === "update" ? { ...result, file: noResult.file } : result;
        });
        if (expected instanceof Object && "code" in expected) refused += 1;
        expect([title, answer]).toEqual([title, expected]);
        expect([title, inOrder(await memory.snapshot(call))]).toEqual([title, inOrder(tree.snapshot())]);
        const { outbox, revision } = (await documents.findOne({ nodeId })) ?? {};
        const last = outbox?.at(-1);
        if (last !== undefined && last.revision === revision && recorded !== null && !("code" in Object(expected)))
          expect([title, toldOf(recordedChange(last))]).toEqual([title, toldOf(recorded)]);
      }
    }
    expect(refused).toBeGreaterThan(memories);
  });
});
