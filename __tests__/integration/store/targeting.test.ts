import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { type CommandStartedEvent, Db, type Document, MongoClient } from "mongodb";
import { addressFor, memoryScopes } from "../../../src/core/values/address.js";
import type { Memory } from "../../../src/core/memory.js";
import { getMemoryNamespace } from "../../../src/core/values/namespace.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

/*
 * What `docs/collections.md` says of shard keys, as far as one server can show it: a router sends a command to the shards
 * that its filter names, and refuses a unique index that does not begin with the shard key.
 */

const { db, name, uri } = testDatabase();
const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client: watched, dbName: name });
const prefix = ["acme", "users"];
const item = { namespace: prefix, key: "k" };

/** As a router answers: what it asks of a command is known only by its filter. */
beforeAll(async () => {
  const hello = await db.command({ hello: 1 });
  const ofRouter = jest.spyOn(Db.prototype, "command").mockResolvedValue({ ...hello, msg: "isdbgrid" });
  await store.start().finally(() => ofRouter.mockRestore());
});

interface Filter {
  collection: string;
  command: string;
  filter: Document;
}

/** The filters of all commands of a call that read or change documents. */
async function getFilters(run: () => Promise<unknown>): Promise<Filter[]> {
  const filters: Filter[] = [];
  const remember = ({ commandName, command, databaseName }: CommandStartedEvent): void => {
    if (databaseName !== name || commandName === "getMore" || commandName === "createIndexes") return;
    const found = filtersIn(command);
    if (found.length === 0) throw new Error(`no filter is known in ${commandName}`);
    for (const filter of found)
      filters.push({ collection: String(command[commandName]), command: commandName, filter });
  };
  watched.on("commandStarted", remember);
  await run().finally(() => watched.off("commandStarted", remember));
  return filters;
}

/** A router reads each branch of a filter. */
function filtersIn(command: Document): Document[] {
  const { filter, query, updates, deletes, pipeline } = command;
  const ofWrites = ((updates ?? deletes ?? []) as { q: Document }[]).map(({ q }) => q);
  const ofPipeline = ((pipeline ?? []) as Document[]).slice(0, 1).map((stage) => stage["$match"] as Document);
  return [filter, query, ...ofWrites, ...ofPipeline]
    .filter((one): one is Document => one !== undefined)
    .flatMap((one) => (one["$or"] as Document[] | undefined) ?? [one]);
}

/** What must hold of a field for a document to be found, as far as a router reads it. */
function conditionOn(field: string, filter: Document): unknown {
  if (Object.hasOwn(filter, field)) return filter[field] as unknown;
  const parts = (filter["$and"] ?? []) as Document[];
  return parts.map((part) => conditionOn(field, part)).find((condition) => condition !== undefined);
}

const memoryWork: [string, (memory: Memory) => Promise<unknown>][] = [
  ["append", (memory) => memory.append("/a/b", "x")],
  ["update", (memory) => memory.update("/notes/today", "text", "other")],
  ["write", (memory) => memory.write("/notes/today", "x")],
  ["edit", (memory) => memory.edit("/notes/today", (text) => `${text}!`)],
  ["delete of a file", (memory) => memory.delete("/notes/today")],
  ["delete of a directory", (memory) => memory.delete("/notes")],
  ["rename of a file", (memory) => memory.rename("/notes/today", "/moved")],
  ["rename of a directory", (memory) => memory.rename("/notes", "/moved")],
  ["read", (memory) => memory.read("/notes/today")],
  ["list", (memory) => memory.list("/")],
  ["stat", (memory) => memory.stat("/notes")],
  ["snapshot", (memory) => memory.snapshot()],
  ["outline", (memory) => memory.outline({ maxContentBytes: 100 })],
];

describe.each(memoryScopes)("commands of a %s memory name its shard", (scope) => {
  // Requirement: mongodb.shard-targeted
  it.each(memoryWork)("%s", async (_, work) => {
    const address = addressFor(freshAddress().nodeId, scope, "t");
    const memory = store.memory(address);
    await memory.write("/notes/today", "text");
    const filters = await getFilters(() => work(memory));
    expect(filters).not.toHaveLength(0);
    for (const { collection, filter } of filters) {
      expect(collection).toBe("memories");
      expect(filter).toMatchObject(address);
    }
  });

  it.each<[string, (namespace: string[]) => Promise<unknown>]>([
    ["get", (namespace) => store.get(namespace, "/notes/today")],
    ["put", (namespace) => store.put(namespace, "/notes/today", { content: "x" })],
    ["delete of a file", (namespace) => store.delete(namespace, "/notes/today")],
    ["delete of a directory", (namespace) => store.delete(namespace, "/no-such-directory/")],
    [
      "a batch",
      (namespace) =>
        store.batch([
          { namespace, key: "/notes/today" },
          { namespace, key: "/notes/today", value: { content: "x" } },
          { namespace, key: "/other", value: { content: "x" } },
        ]),
    ],
    ["search", (namespace) => store.search(namespace, { filter: { content: "text" } })],
    ["search of a node", (namespace) => store.search(namespace.slice(0, 2))],
    ["listNamespaces of a node", (namespace) => store.listNamespaces({ prefix: namespace.slice(0, 2) })],
  ])("%s through the store", async (_, work) => {
    const { nodeId } = freshAddress();
    const namespace = getMemoryNamespace(addressFor(nodeId, scope, "t"));
    await store.put(namespace, "/notes/today", { content: "text" });
    const filters = (await getFilters(() => work(namespace))).filter(({ collection }) => collection === "memories");
    expect(filters).not.toHaveLength(0);
    for (const { filter } of filters) {
      expect(conditionOn("nodeId", filter)).toBe(nodeId);
      expect(memoryScopes).toContain(conditionOn("scope", filter));
    }
  });
});

describe("commands of items name their shards", () => {
  const ttl = { defaultTtlMs: 60_000, refreshOnRead: true };
  const index = { dims: 4, embeddings: new FakeEmbeddings() };
  const expiring = new MongoMemoryStore({ client: watched, dbName: name, itemsCollection: "expiring", ttl });
  const semantic = new MongoMemoryStore({ client: watched, dbName: name, itemsCollection: "semantic", index });
  const keywords = new MongoMemoryStore({
    client: watched,
    dbName: name,
    itemsCollection: "keywords",
    textSearch: true,
  });

  beforeAll(async () => {
    for (const each of [store, expiring, semantic, keywords]) await each.put(item.namespace, item.key, { text: "abc" });
  });

  // Requirement: store.shard-targeted
  it.each<[string, () => Promise<unknown>]>([
    ["get", () => store.get(prefix, "k")],
    ["get that begins a TTL anew", () => expiring.get(prefix, "k")],
    ["put", () => store.put(prefix, "k", {})],
    ["put with a TTL", () => expiring.put(prefix, "k", {})],
    ["put with an embedding", () => semantic.put(prefix, "k", { text: "abc" })],
    ["delete", () => store.delete(prefix, "k2")],
    [
      "a batch",
      () => store.batch([item, { ...item, key: "k2" }, { ...item, value: {} }, { ...item, key: "k3", value: null }]),
    ],
    ["search", () => store.search(prefix)],
    ["search with a filter", () => store.search(prefix, { filter: { count: { $gte: 3 }, kind: "x" }, offset: 3 })],
    ["search that begins a TTL anew", () => expiring.search(prefix)],
    ["search by meaning", () => semantic.search(prefix, { query: "abc" })],
    ["search by keywords", () => keywords.search(prefix, { query: "abc" })],
  ])("%s", async (_, work) => {
    const filters = await getFilters(work);
    expect(filters).not.toHaveLength(0);
    for (const { collection, filter } of filters) {
      expect(collection).not.toBe("memories");
      const condition = conditionOn("_id", filter);
      if (typeof condition === "string") continue;
      const { $in, $gte, $lt } = condition as { $in?: string[]; $gte?: string; $lt?: string };
      if ($in === undefined) expect([$gte, $lt]).toEqual(["acme\0users\0", "acme\0users\u0001"]);
      else expect($in).not.toHaveLength(0);
    }
  });

  it("listNamespaces alone asks every shard, for a range of its index", async () => {
    const filters = await getFilters(() => store.listNamespaces({ prefix }));
    expect(filters).toEqual([
      {
        collection: "items",
        command: "aggregate",
        filter: { ns: { $gte: "acme\0users", $lt: "acme\0users\u0001" }, expiresAt: expect.anything() },
      },
    ]);
  });

  it("a zone of a tenant holds all of its items, and none of a neighbour", async () => {
    const [filter] = await getFilters(() => store.search(["acme"]));
    expect(conditionOn("_id", filter?.filter ?? {})).toEqual({ $gte: "acme\0", $lt: "acme\u0001" });
  });
});

describe("the unique indexes", () => {
  const getUniqueKeys = async (collection: string): Promise<string[][]> => {
    const indexes = await db.collection(collection).indexes();
    return indexes.filter(({ unique }) => unique === true).map(({ key }) => Object.keys(key as object));
  };

  it("of memories all begin with the fields of the shard key, and no shard key may be longer", async () => {
    const keys = await getUniqueKeys("memories");
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key.slice(0, 2)).toEqual(["nodeId", "scope"]);
    expect(Math.min(...keys.map((key) => key.length))).toBe(2);
  });

  it("of items there is none but that of the id", async () => {
    expect(await getUniqueKeys("items")).toEqual([]);
  });
});
