import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { type CommandStartedEvent, Db, type Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

/*
 * What `docs/collections.md` says of the shard keys of items, as far as one server can show it: a router sends a command
 * to the shards that its filter names, and refuses a unique index that does not begin with the shard key.
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

it("no index of items is unique but that of the id", async () => {
  const indexes = await db.collection("items").indexes();
  expect(indexes.filter(({ unique }) => unique === true)).toEqual([]);
});
