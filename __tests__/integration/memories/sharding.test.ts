import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  Collection,
  type CommandStartedEvent,
  type Document,
  type IndexDescription,
  MongoClient,
  MongoServerError,
} from "mongodb";
import { type MemoryScope, type Memory, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { createAddress, createNamespace } from "../../helpers/addresses.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { createFiles, putFiles } from "../../helpers/paged-memories.js";
import { largeChanges, loadingChanges, type PagedCall, pagedChanges, pagedReads } from "../../helpers/paged-calls.js";
import { createAskingNode, propose } from "../../helpers/proposals.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { readAll } from "../../helpers/read-all.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

/*
 * A collection that is sharded by `_id` refuses other unique indexes. No test has a router, so the refusal is played, and
 * the commands are looked at: a router sends a command to one shard only if its filter names the `_id`.
 */

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

function openStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(2000), ...options });
}

/** Refuses unique indexes as a sharded collection does: those that exist in another form already are a conflict. */
async function refuseUnique(collection: Collection, indexes: readonly IndexDescription[]): Promise<void> {
  if (!indexes.some(({ unique }) => unique === true)) return;
  const names = new Set((await collection.indexes().catch(() => [])).map(({ name }) => name));
  if (indexes.some(({ name }) => names.has(name))) return;
  throw new MongoServerError({ code: 67, codeName: "CannotCreateIndex", errmsg: "cannot create unique index" });
}

beforeAll(() => {
  const createIndexes = jest.spyOn(Collection.prototype, "createIndexes");
  const play = async function (this: Collection, indexes: IndexDescription[]): Promise<string[]> {
    await refuseUnique(this, indexes);
    for (const { key, ...options } of indexes) await this.createIndex(key, options);
    return [];
  };
  createIndexes.mockImplementation(play);
});
afterAll(() => void jest.restoreAllMocks());

/** The conditions on `_id` of everything that a command on the memories reads or writes. */
function findIds({ commandName, command }: CommandStartedEvent): unknown[] {
  if (command[commandName] !== "memories" || commandName === "createIndexes") return [];
  const [first] = (command["pipeline"] ?? []) as Document[];
  // A router always asks every shard for changes.
  if (first !== undefined && "$changeStream" in first) return [];
  const written = ((command["updates"] ?? command["deletes"] ?? []) as { q: Document }[]).map(({ q }) => q);
  const inserted = (command["documents"] ?? []) as Document[];
  const filters = [command["filter"], command["query"], first?.["$match"], ...written, ...inserted].filter(
    (filter): filter is Document => filter !== undefined,
  );
  if (filters.length === 0) throw new Error(`no filter is known in ${commandName}`);
  return filters.map(idIn);
}

function idIn(filter: Document): unknown {
  if (Object.hasOwn(filter, "_id")) return filter["_id"] as unknown;
  return ((filter["$and"] ?? []) as Document[]).map(idIn).find((id) => id !== undefined);
}

/** Whether a condition on `_id` finds documents of one memory, or of one owner, only. */
function isOf(prefix: string, condition: unknown): boolean {
  if (typeof condition === "string") return condition.startsWith(prefix);
  const { $in, $gte, $lt } = Object(condition) as { $in?: unknown[]; $gte?: unknown; $lt?: unknown };
  const ids = $in ?? [$gte, $lt];
  return ids.every((id) => typeof id === "string" && id.startsWith(prefix));
}

const files = createFiles(60);

const searches: PagedCall[] = [
  ["list of the root", (memory) => memory.list("/")],
  ["outline", (memory) => memory.outline()],
  ["search", (memory) => memory.search("words")],
  ["grep", (memory) => memory.grep("words")],
];
const reads = [...pagedReads, ...searches];

const changes: PagedCall[] = [
  ...pagedChanges,
  ...loadingChanges,
  ...largeChanges,
  [
    "many changes",
    async (memory) => {
      for (let index = 0; index < 65; index += 1) await memory.append("/d03/f3", `line ${index}`);
    },
  ],
];

const ofHistory: PagedCall = [
  "list, blame, at, read, diff, revert and redaction of versions",
  async (memory) => {
    const history = getHistory(memory);
    const [newest] = await readAll(history.list({ path: "/d03/f3" }));
    const id = newest?.id ?? "";
    await history.blame("/d03/f3");
    await history.at(new Date());
    await history.read(id);
    await history.diff(id);
    await history.revert({ path: "/d03/f3", to: id });
    await history.redact({ text: "some words", cut: true });
  },
];

async function approveChange(store: MongoMemoryStore, memory: Memory): Promise<void> {
  const config = { configurable: { thread_id: "owner", user_id: "owner" } };
  const append = { command: "append", path: "/d00/f0", content: "more" };
  const id = await propose(createAskingNode(store, memory.address), append, config);
  await getProposals(memory).approve(id, { by: { userId: "grace" } });
  expect((await memory.read("/d00/f0")).endsWith("more")).toBe(true);
}

const small = { "/d00/f0": "some words", "/d03/f3": "some words" };

const cases: [string, MemoryScope, Record<string, string>][] = [
  ["small global", "global", small],
  ["large perUser", "perUser", files],
];

describe.each(cases)(
  "on a sharded collection, the commands of a %s memory name their shard",
  (_title, scope, initial) => {
    const address = (): Memory["address"] => createAddress(freshAddress().nodeId, scope, "owner");
    const prefixOf = (memory: Memory): string => {
      const { nodeId } = memory.address;
      return `${scope === "global" ? "" : "owner"}\u0001${scope}\u0001${nodeId}\u0001`;
    };

    async function expectTargeted(title: string, memory: Memory, run: () => Promise<unknown>): Promise<void> {
      const ids = (await commandsOf(client, run)).flatMap(findIds);
      const isTargeted = (id: unknown): boolean => isOf(prefixOf(memory), id);
      expect([title, ids.length > 0, ids.filter((id) => !isTargeted(id)).map(String)]).toEqual([title, true, []]);
    }

    it("however it is used", async () => {
      for (const options of [{}, { history: false as const, expireMs: { [scope]: 1e7 } }]) {
        const store = openStore(options);
        await store.start();
        const shown = store.memory(address());
        await expectTargeted("put", shown, () => putFiles(store, shown, initial));
        for (const [title, run] of reads) await expectTargeted(title, shown, () => run(shown));
        for (const [title, run] of [...changes, ...("history" in options ? [] : [ofHistory])]) {
          const memory = store.memory(address());
          await putFiles(store, memory, initial);
          await expectTargeted(title, memory, () => run(memory));
        }
      }
    });

    it("by a process that does not know it yet", async () => {
      const store = openStore({ history: false });
      await store.start();
      for (const [title, run] of [...reads, ...changes]) {
        const memory = store.memory(address());
        await putFiles(store, memory, initial);
        const cold = openStore({ history: false });
        await cold.start();
        await expectTargeted(title, memory, () => run(cold.memory(memory.address)));
      }
    });

    it("through the store, by a proposal and by forget", async () => {
      const store = openStore();
      await store.start();
      const memory = store.memory(address());
      const namespace = createNamespace(memory.address);
      await putFiles(store, memory, initial);
      const runs: PagedCall[] = [
        ["get", () => store.get(namespace, "/d03/f3")],
        ["put", () => store.put(namespace, "/d03/f3", { content: "x" })],
        ["delete", () => store.delete(namespace, "/d03/f3")],
        ["delete of a directory", () => store.delete(namespace, "/none/")],
        ["search", () => store.search(namespace)],
        ["proposal", (of) => approveChange(store, of)],
        ["listMemories", () => readAll(store.listMemories({ ...memory.address }))],
        ["forget", () => store.forget(memory.address)],
      ];
      for (const [title, run] of runs) await expectTargeted(title, memory, () => run(memory));
      expect(await memory.list("/")).toEqual([]);
    });
  },
);

describe("a sharded collection", () => {
  it("has the indexes of addresses without unique, however often it is started", async () => {
    await openStore().start();
    await openStore({ expireMs: { perUser: 1e7 } }).start();
    const indexes = (await db.collection("memories").indexes()).filter(({ name }) => name?.startsWith("uniq_"));
    expect(indexes.map(({ name, key, unique }) => [name, Object.keys(key as object), unique])).toEqual([
      ["uniq_global", ["nodeId", "scope"], undefined],
      ["uniq_per_thread", ["nodeId", "scope", "threadId"], undefined],
      ["uniq_per_user", ["nodeId", "scope", "userId"], undefined],
    ]);
  });

  it("is forgotten of a person by the range of that person's ids", async () => {
    const store = openStore();
    const addresses = ["a", "b"].map((nodeId) => ({ nodeId, scope: "perUser", userId: "ada" }) as const);
    for (const address of addresses) await putFiles(store, store.memory(address), files);
    // Without a history, nothing goes on in the background.
    const plain = openStore({ history: false });
    await putFiles(plain, plain.memory({ nodeId: "a", scope: "perUser", userId: "adam" }), files);
    let counts: unknown;
    const sent = await commandsOf(
      client,
      async () => (counts = await store.forget({ userId: "ada" }, { mentions: false })),
    );
    expect(counts).toMatchObject({ memories: 2, files: 120, versions: 120 });
    // All shards are asked for changes by that person of memories of others.
    const own = sent.filter(({ command }) => !JSON.stringify(command["filter"] ?? {}).includes("outboxActors"));
    expect(
      own
        .flatMap(findIds)
        .filter((id) => !isOf("ada\u0001perUser", id))
        .map(String),
    ).toEqual([]);
    const left = await db.collection("memories").find({ scope: "perUser", userId: /^ada/ }).toArray();
    expect(new Set(left.map(({ _id }) => String(_id).split("\u0001")[0]))).toEqual(new Set(["adam"]));
  });

  it("has one head of a memory, however many first writes race", async () => {
    const memory = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
    const opened = [1, 2].map(() => openStore({ history: false }).memory(memory));
    await Promise.all(
      opened.flatMap((each) => Array.from({ length: 20 }, (_, index) => each.append(`/f${index % 4}`, "x"))),
    );
    expect(await db.collection("memories").countDocuments({ ...memory })).toBe(1);
    const found = await openStore().memory(memory).snapshot();
    expect(found.files.map(({ content }) => content.length)).toEqual([19, 19, 19, 19]);
  });
});
