import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { examined } from "../../helpers/examined.js";
import { createAskingNode, propose as proposeBy } from "../../helpers/proposals.js";
import { readAll } from "../../helpers/read-all.js";
import { privateMongod, type TestDatabase, testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const place = testDatabase();

interface Inbox {
  store: MongoMemoryStore;
  collection: string;
  /** An agent proposes to append to a file. */
  propose: (nodeId: string, owner: { threadId?: string; userId?: string }, path?: string) => Promise<string>;
  paths: (filter?: Parameters<MongoMemoryStore["listProposals"]>[0]) => Promise<string[]>;
}

/** A store whose clock goes a second with each proposal. */
function openInbox({ client, name: dbName }: TestDatabase): Inbox {
  const collection = `memories ${randomUUID()}`;
  let nowMs = Date.now();
  const clock = (): Date => new Date(nowMs);
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: collection, clock });
  return {
    store,
    collection,
    propose: async (nodeId, { threadId, userId }, path = "/a") => {
      nowMs += 1000;
      const scope = threadId !== undefined ? "perThread" : userId !== undefined ? "perUser" : "global";
      const config = { configurable: { thread_id: threadId, user_id: userId } };
      return proposeBy(
        createAskingNode(store, { nodeId, scope }),
        { command: "append", path, content: "text\n" },
        config,
      );
    },
    paths: async (filter) => (await readAll(store.listProposals(filter))).map(({ path }) => path),
  };
}

describe("the proposals of all memories", () => {
  const { db, client } = place;

  it("are listed oldest first, each with its memory and without its texts", async () => {
    const { store, propose } = openInbox(place);
    const ids = [
      await propose("support", { userId: "ada" }),
      await propose("writer", {}),
      await propose("support", { threadId: "t-1" }),
      await propose("support", { userId: "ada" }, "/b"),
    ];
    const found = await readAll(store.listProposals());
    expect(found.map(({ id, address }) => [id, address])).toEqual([
      [ids[0], { nodeId: "support", scope: "perUser", userId: "ada" }],
      [ids[1], { nodeId: "writer", scope: "global" }],
      [ids[2], { nodeId: "support", scope: "perThread", threadId: "t-1" }],
      [ids[3], { nodeId: "support", scope: "perUser", userId: "ada" }],
    ]);
    const [first] = found;
    const one = await store.memory({ nodeId: "support", scope: "perUser", userId: "ada" }).proposals?.get(ids[0] ?? "");
    const { content: _content, oldContent: _old, diff: _diff, base: _base, ...facts } = one ?? {};
    expect(first).toEqual({ address: first?.address, ...facts });
  });

  it("are found by node, scope, thread, user and status", async () => {
    const { store, propose, paths } = openInbox(place);
    await propose("support", { userId: "ada" }, "/1");
    await propose("support", {}, "/2");
    await propose("writer", { userId: "ada" }, "/3");
    await propose("writer", { threadId: "t-1" }, "/4");
    const id = await propose("support", {}, "/5");
    await store.memory({ nodeId: "support" }).proposals?.reject(id, { by: { userId: "eve" } });
    expect(await paths()).toEqual(["/1", "/2", "/3", "/4"]);
    expect(await paths({ nodeId: "support" })).toEqual(["/1", "/2"]);
    expect(await paths({ nodeId: "support", scope: "global" })).toEqual(["/2"]);
    expect(await paths({ scope: "perThread" })).toEqual(["/4"]);
    expect(await paths({ threadId: "t-1" })).toEqual(["/4"]);
    expect(await paths({ userId: "ada" })).toEqual(["/1", "/3"]);
    expect(await paths({ nodeId: "writer", userId: "ada" })).toEqual(["/3"]);
    expect(await paths({ status: "rejected" })).toEqual(["/5"]);
    expect(await paths({ userId: "ada", status: "approved" })).toEqual([]);
    expect(await paths({ userId: "nobody" })).toEqual([]);
  });

  it("are read in pages that neither lose nor repeat one, also where several have the same time", async () => {
    const { store, collection, propose, paths } = openInbox(place);
    const id = await propose("support", {}, "/0");
    const records = db.collection<Document & { _id: string }>(`${collection}_proposals`);
    const [stored] = await records.find({ _id: id }).toArray();
    const firstMs = new Date(String(stored?.["at"])).getTime();
    const copies = Array.from({ length: 1100 }, (_, index) => ({
      ...stored,
      _id: `${id}-${String(index).padStart(4, "0")}`,
      path: `/${index + 1}`,
      at: new Date(firstMs + 1000 + Math.floor(index / 700)),
      status: index % 3 === 0 ? "applying" : "pending",
    }));
    await records.insertMany(copies);
    const expected = ["/0", ...copies.map(({ path }) => path)];
    const sent = await commandsOf(client, async () => expect(await paths()).toEqual(expected));
    expect(sent.map(({ commandName }) => commandName)).toEqual(Array(sent.length).fill("find"));
    expect(sent.length).toBeLessThanOrEqual(5);
    const [first] = await readAll(store.listProposals({ nodeId: "support" }));
    expect(first?.path).toBe("/0");
  });

  it("are found by an index, which passes over what has been decided and what belongs to others", async () => {
    const { store, collection, propose } = openInbox(place);
    const id = await propose("support", { userId: "ada" });
    const name = `${collection}_proposals`;
    const records = db.collection<Document & { _id: string }>(name);
    const [stored] = await records.find({ _id: id }).toArray();
    const copy = (count: number, fields: object): (Document & { _id: string })[] =>
      Array.from({ length: count }, () => ({ ...stored, ...fields, _id: randomUUID() }));
    await records.insertMany([
      ...copy(2, {}),
      ...copy(300, { status: "approved" }),
      ...copy(40, { nodeId: "writer", userId: "eve" }),
      ...copy(200, { kind: "interrupt" }),
    ]);
    const cost = async (filter: Parameters<MongoMemoryStore["listProposals"]>[0]) =>
      (await examined(db, name, () => readAll(store.listProposals(filter)))).map(({ keysExamined, docsExamined }) => [
        keysExamined <= 45,
        docsExamined,
      ]);
    expect(await cost({})).toEqual([[true, 43]]);
    expect(await cost({ nodeId: "support" })).toEqual([[true, 3]]);
    const [own] = await examined(db, name, () => readAll(store.listProposals({ userId: "ada" })));
    expect(own).toMatchObject({ docsExamined: 3 });
    expect(own?.keysExamined).toBeLessThanOrEqual(5);
  });
});

it.each<[unknown, RegExp]>([
  [{ status: "open" }, /status must be one of pending, applying, approved, rejected \(given "open"\)/],
  [{ status: undefined }, /status is undefined/],
  [{ user: "ada" }, /unknown field of a filter of proposals: user; the fields are nodeId, .*, status/],
  [{ userId: { $ne: "" } }, /userId must be a non-empty string/],
])("the filter %j of proposals is refused at once", (filter, message) => {
  const { client, name: dbName } = place;
  const store = new MongoMemoryStore({ client, dbName });
  expect(() => store.listProposals(filter as object)).toThrow(message);
});

describe("the proposals of one memory", () => {
  it("are listed in pages, each in order and once, and leave no cursor", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri, { monitorCommands: true }));
    const own = { ...place, client, name: "app" };
    const { store, collection, propose } = openInbox(own);
    await propose("a", {});
    const records = client.db("app").collection<Document & { _id: string }>(`${collection}_proposals`);
    const { _id, ...record } = (await records.findOne()) ?? { _id: "" };
    // Several at one time, as one run makes them, and one page of large ones, which 16 MB end.
    const ids = Array.from({ length: 1300 }, (_, index) => `${_id}-${String(index).padStart(4, "0")}`);
    const size = (index: number): number => (index < 40 ? 1_000_000 : 10);
    await records.insertMany(ids.map((id, index) => ({ ...record, _id: id, content: "x".repeat(size(index)) })));
    const { proposals } = store.memory({ nodeId: "a" });
    const listed = await commandsOf(client, async () => {
      expect((await readAll(proposals?.list() ?? [])).map(({ id }) => id)).toEqual([_id, ...ids]);
    });
    const finds = listed.filter(({ commandName }) => commandName === "find");
    expect(finds.length).toBeGreaterThan(4);
    expect(listed.length).toBeLessThan(2 * finds.length);
    for await (const { id } of proposals?.list() ?? []) if (id === ids[1]) break;
    const { metrics } = await client.db("admin").command({ serverStatus: 1 });
    expect(metrics).toMatchObject({ cursor: { open: { total: 0 } } });
  });
});
