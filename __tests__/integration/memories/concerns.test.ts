import { beforeAll, describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createAskingNode, propose } from "../../helpers/proposals.js";
import { readAll } from "../../helpers/read-all.js";
import { getHistory, getProposals, memoryChanges, memoryReads, storeCalls } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase("replicaSet");
/** Asks for less than a memory needs. */
const client = useClient(
  new MongoClient(uri, {
    monitorCommands: true,
    readPreference: "secondaryPreferred",
    readConcernLevel: "local",
    writeConcern: { w: 1 },
  }),
);
const openStore = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, ...options });
const store = openStore({
  history: true,
  index: { dims: 4, embeddings: new FakeEmbeddings() },
  expireMs: { perUser: 1_000_000 },
});

beforeAll(() => store.start());

/** A memory of nine files. With pages of 200 bytes, nearly each has a page of its own. */
async function openMemory(pageBytes: number): Promise<Memory> {
  const memory = openStore({ history: true, ...withPageBytes(pageBytes) }).memory(freshAddress());
  for (const path of ["/a", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]) await memory.write(path, "word");
  return memory;
}

function mayGoToSecondary({ command }: CommandStartedEvent): boolean {
  const preference = command["$readPreference"] as { mode: string } | undefined;
  return preference !== undefined && preference.mode !== "primary";
}

/** Outside transactions. */
const isRead = ({ commandName, command }: CommandStartedEvent): boolean =>
  ["find", "aggregate"].includes(commandName) && command["txnNumber"] === undefined;

/** Makes a change. Others only move recorded changes, which the next call repeats. */
const isWrite = ({ commandName, command }: CommandStartedEvent): boolean =>
  commandName === "commitTransaction" ||
  (["update", "findAndModify", "insert", "delete"].includes(commandName) &&
    command["startTransaction"] === undefined &&
    command["autocommit"] === undefined &&
    !JSON.stringify(command).includes('"hasVersions":true'));

const getLevel = ({ command }: CommandStartedEvent): unknown => command["readConcern"]?.level;

function expectSafe(sent: readonly CommandStartedEvent[]): void {
  expect(sent.filter(mayGoToSecondary).map(({ commandName }) => commandName)).toEqual([]);
  for (const read of sent.filter(isRead)) expect(["majority", "snapshot"]).toContain(getLevel(read));
  for (const { command } of sent.filter(isWrite))
    expect(command["writeConcern"]).toMatchObject({ w: "majority", j: true });
}

describe("whatever the client asks for, a memory", () => {
  it.each(Object.entries({ ...memoryReads, ...memoryChanges }))(
    "reads in %s at the primary only what a majority has, and writes with majority and journal",
    async (_name, call) => {
      for (const pageBytes of [200, 1_000_000]) {
        const memory = await openMemory(pageBytes);
        const sent = await commandsOf(client, () => call(memory).catch(() => undefined));
        expect(sent).not.toHaveLength(0);
        expectSafe(sent);
      }
    },
  );

  const ofMemories = Object.entries(storeCalls).filter(([title]) => /forget|sweep|file|Memories|Proposals/.test(title));
  it.each(ofMemories)("is read at the primary by %s", async (_name, call) => {
    await store.memory(freshAddress()).write("/a", "a word");
    const sent = await commandsOf(client, () => call(store));
    const reads = sent.filter(({ command, commandName }) => command[commandName] !== "items");
    expect(reads.filter(mayGoToSecondary).map(({ commandName }) => commandName)).toEqual([]);
  });

  it("reads so the versions and proposals that exist", async () => {
    const memory = store.memory(freshAddress());
    for (const text of ["secret", "other"]) await memory.write("/b", text);
    const [last = "", first = ""] = (await readAll(getHistory(memory).list())).map(({ id }) => id);
    const node = createAskingNode(store, memory.address);
    const append = { command: "append", path: "/b", content: "x" };
    const by = { userId: "ada" };
    const sent = await commandsOf(client, async () => {
      expect(await getHistory(memory).diff(first, last)).toContain("+other");
      await getHistory(memory).blame("/b");
      await getHistory(memory).at(first);
      await getHistory(memory).revert({ path: "/b", to: first });
      await memory.write("/b", "other");
      await getHistory(memory).redact({ path: "/b" });
      await getProposals(memory).approve(await propose(node, append), { by });
      await getProposals(memory).reject(await propose(node, append), { by });
    });
    expect(sent.filter(mayGoToSecondary).map(({ commandName }) => commandName)).toEqual([]);
  });

  it("is read at one moment by a process that does not know its pages", async () => {
    const { address } = await openMemory(200);
    const other = openStore(withPageBytes(200)).memory(address);
    const sent = await commandsOf(client, () => other.snapshot());
    const [first, ...others] = sent.filter((read) => isRead(read) && getLevel(read) === "snapshot");
    expect(first?.command["readConcern"]).not.toHaveProperty("atClusterTime");
    expect(others.length).toBeGreaterThan(1);
    const moments = new Set(others.map(({ command }) => String(command["readConcern"].atClusterTime)));
    expect([moments.size, moments.has("undefined")]).toEqual([1, false]);
  });
});

it("items are read from secondaries and written as the client asks for", async () => {
  for (const read of [() => store.get(["a"], "k"), () => store.search(["a"])])
    expect((await commandsOf(client, read)).map(mayGoToSecondary)).toEqual([true]);
  const sent = await commandsOf(client, () => store.put(["a"], "k", {}));
  expect(sent).not.toHaveLength(0);
  for (const { command } of sent) expect(command).not.toHaveProperty("writeConcern.w", "majority");
});

it("the write concern of memories is no option", () => {
  expect(() => openStore({ memoryWriteConcern: { w: 1 } } as object)).toThrow(/unknown option "memoryWriteConcern"/);
});
