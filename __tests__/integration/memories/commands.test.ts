import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Document, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { receivedBy } from "../../helpers/answers-of.js";
import { restrict } from "../../helpers/restrict.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/** At most so many commands, with a history and without one. It is what specification sections 4 and 13 promise. */
type Row = [title: string, run: (memory: Memory) => Promise<unknown>, most: number];

const reads: Row[] = [
  ["read", (memory) => memory.read("/notes/today"), 1],
  ["list", (memory) => memory.list("/notes"), 1],
  ["stat of a file", (memory) => memory.stat("/notes/today"), 1],
  ["stat of a directory", (memory) => memory.stat("/notes"), 1],
  ["stat of nothing", (memory) => memory.stat("/none"), 1],
  ["snapshot", (memory) => memory.snapshot(), 1],
  ["outline", (memory) => memory.outline({ maxContentBytes: 100 }), 1],
  ["grep", (memory) => memory.grep("text"), 1],
  ["search", (memory) => memory.search("text"), 2],
];

const made: Row[] = [
  ["append to a file", (memory) => memory.append("/notes/today", "x"), 1],
  ["append that creates", (memory) => memory.append("/notes/new", "x"), 1],
  ["append with missing parents", (memory) => memory.append("/far/away/new", "x"), 1],
  ["update", (memory) => memory.update("/notes/today", "text", "x"), 1],
  ["update without a match", (memory) => memory.update("/notes/today", "none", "x"), 1],
  ["write of a file", (memory) => memory.write("/notes/today", "x"), 1],
  ["write that creates", (memory) => memory.write("/notes/new", "x", { ifExists: "fail" }), 1],
  ["write with missing parents", (memory) => memory.write("/far/away/new", "x"), 1],
  ["edit", (memory) => memory.edit("/notes/today", (text) => `${text}!`), 2],
  ["delete of a file", (memory) => memory.delete("/notes/today"), 1],
  ["delete of a directory", (memory) => memory.delete("/notes"), 1],
  ["delete of everything", (memory) => memory.delete("/"), 1],
  ["delete of nothing", (memory) => memory.delete("/none"), 1],
  ["rename of a file", (memory) => memory.rename("/notes/today", "/moved"), 2],
  ["rename of a directory", (memory) => memory.rename("/notes", "/moved"), 2],
];

const refused: Row[] = [
  ["read of nothing", (memory) => memory.read("/none"), 2],
  ["read of a directory", (memory) => memory.read("/notes"), 2],
  ["list of nothing", (memory) => memory.list("/none"), 2],
  ["list of a file", (memory) => memory.list("/notes/today"), 2],
  ["append to a directory", (memory) => memory.append("/notes", "x"), 2],
  ["append below a file", (memory) => memory.append("/notes/today/x", "x"), 2],
  ["append that is too large", (memory) => memory.append("/notes/today", "x".repeat(99)), 2],
  ["update of nothing", (memory) => memory.update("/none", "a", "b"), 2],
  ["update of a directory", (memory) => memory.update("/notes", "a", "b"), 2],
  ["write of a directory", (memory) => memory.write("/notes", "x"), 2],
  ["write below a file", (memory) => memory.write("/notes/today/x", "x"), 2],
  ["write of what exists", (memory) => memory.write("/notes/today", "x", { ifExists: "fail" }), 2],
  ["write of what is missing", (memory) => memory.write("/none", "x", { ifMissing: "fail" }), 2],
  ["edit of nothing", (memory) => memory.edit("/none", () => "x"), 2],
  ["edit of a directory", (memory) => memory.edit("/notes", () => "x"), 2],
  ["delete of a directory", (memory) => memory.delete("/notes", { ifDirectory: "fail" }), 2],
  ["rename of nothing", (memory) => memory.rename("/none", "/moved"), 2],
  ["rename to what exists", (memory) => memory.rename("/notes", "/other"), 2],
  ["rename to below a file", (memory) => memory.rename("/other", "/notes/today/x"), 2],
];

describe.each([false, true])("commands, history: %s", (history) => {
  const open = (): MongoMemoryStore => new MongoMemoryStore({ client, dbName, history });
  const store = open();

  /**
   * Runs a call in a memory with two files, and explains each of its commands, and the first of a store that does not
   * know the memory. @returns how many there are
   */
  async function countServed(run: Row[1], isRefused: boolean): Promise<number> {
    const address = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
    const memory = store.memory(address, { maxFileBytes: 50 });
    for (const path of ["/notes/today", "/other/file"]) await memory.write(path, "text");
    let hasFailed = false;
    const sent = await commandsOf(client, () => run(memory).catch(() => (hasFailed = true)));
    expect(hasFailed).toBe(isRefused);
    const newcomer = open();
    await newcomer.start();
    const ofNewcomer = await commandsOf(client, () => run(newcomer.memory(address)).catch(() => null));
    for (const { command } of [...sent, ...ofNewcomer.slice(0, 1)]) {
      const { explained } = await explain(command);
      expect(explained).toMatch(/"IDHACK"|"_id_"/);
      expect(explained).not.toContain("COLLSCAN");
    }
    return sent.length;
  }

  it.each([...reads, ...made])("%s is made by few, each served by the index of ids", async (_title, run, most) => {
    expect(await countServed(run, false)).toBeLessThanOrEqual(most);
  });

  it.each(refused)("%s is refused by few, each served by the index of ids", async (_title, run, most) => {
    expect(await countServed(run, true)).toBeLessThanOrEqual(most);
  });

  it.each([
    ["an address", { nodeId: "a", scope: "global" }, { nodeId: "a" }, 7],
    ["a user", { userId: "ada" }, { nodeId: "a", scope: "perUser", userId: "ada" }, 17],
    ["a thread", { threadId: "1" }, { nodeId: "a", scope: "perThread", threadId: "1" }, 17],
  ] as const)("forget of %s is made by few", async (_title, who, address, most) => {
    const memoriesCollection = `memories ${randomUUID()}`;
    const fresh = new MongoMemoryStore({ client, dbName, history, memoriesCollection });
    await fresh.memory(address).write("/notes/today", "text");
    for (const memories of [1, 0]) {
      const sent = await commandsOf(client, async () => expect(await fresh.forget(who)).toMatchObject({ memories }));
      expect(sent.length).toBeLessThanOrEqual(most);
    }
  });
});

it("a rename with a history reads no text that it moves", async () => {
  const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
  await memory.write("/notes/today", "text");
  const [read] = await commandsOf(client, () => memory.rename("/notes", "/moved"));
  expect(read?.commandName).toBe("find");
  expect(Object.keys(Object(read?.command["projection"]))).toContain("texts");
  expect(Object.keys(Object(read?.command["projection"]))).not.toContain("data");
});

describe("the commands", () => {
  const store = new MongoMemoryStore({ client, dbName });

  it("a delete under rules is one command for a file and three for a directory", async () => {
    const memory = store.memory(freshAddress());
    for (const path of ["/notes/today", "/notes/later", "/other/file"]) await memory.write(path, "text");
    const ruled = restrict(memory, { rules: [{ path: "/policies/**", access: "read" }] });
    const open = restrict(memory, { access: "write" });
    const counts: number[] = [];
    for (const run of [
      () => ruled.delete("/notes/today"),
      () => ruled.delete("/notes"),
      () => open.delete("/other"),
      () => ruled.delete("/"),
    ]) {
      counts.push((await commandsOf(client, run)).length);
    }
    expect(counts).toEqual([1, 3, 1, 1]);
    await expect(commandsOf(client, () => ruled.write("/policies/a", "x"))).rejects.toThrow("EACCES");
  });

  it.each<[title: string, (memory: Memory) => Promise<unknown>]>([
    ["stat of a file", (memory) => memory.stat("/long")],
    ["list", (memory) => memory.list("/notes")],
    ["list of the root", (memory) => memory.list("/")],
    ["outline", (memory) => memory.outline()],
  ])("%s reads no text, and nothing again that has not changed", async (_title, run) => {
    const memory = store.memory(freshAddress());
    await memory.write("/long", "x".repeat(100_000));
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        memory.write(`/notes/${index % 3}/a-name-of-some-length-${index}`, "text"),
      ),
    );
    expect(await receivedBy(client, () => run(memory))).toBeLessThan(15_000);
    expect(await receivedBy(client, () => run(memory))).toBeLessThan(500);
  });

  it("the first write of a memory is one command", async () => {
    await store.start();
    const sent = await commandsOf(client, () => store.memory(freshAddress()).append("/file", "x"));
    expect(sent).toHaveLength(1);
  });

  it("a command examines one key however many memories there are", async () => {
    const node = freshAddress();
    const thread = (index: number): Memory =>
      store.memory({ ...node, scope: "perThread", threadId: `thread ${index}` });
    await Promise.all(Array.from({ length: 100 }, (_, index) => thread(index).append("/file", "x")));
    const [sent] = await commandsOf(client, () => thread(50).read("/file"));
    const { stats } = await explain(sent?.command ?? {});
    expect(stats["totalKeysExamined"]).toBe(1);
    expect(stats["totalDocsExamined"]).toBe(1);
  });

  it("a rendering of the connector is one command, two where it falls back to the global memory", async () => {
    const { nodeId } = freshAddress();
    const node = new MemoryNode({ store, nodeId, scope: "perThread" });
    await node.globalMemory().write("/shared", "x");
    await node.memory("with notes").write("/own", "x");
    for (const content of ["tree", "index", "full"] as const) {
      const connector = node.createConnector({ content });
      const render = (threadId?: string) => commandsOf(client, () => connector.renderMessage({ threadId }));
      expect((await render("with notes")).map((event) => event.commandName)).toEqual(["find"]);
      expect((await render("without notes")).map((event) => event.commandName)).toEqual(["find", "find"]);
      expect((await render()).map((event) => event.commandName)).toEqual(["find"]);
    }
  });

  it("through mounts are as many as without, and a connector sends one for each memory", async () => {
    const { nodeId } = freshAddress();
    const mounts = {
      "/team": { nodeId: `${nodeId} team` },
      "/rules": { nodeId: `${nodeId} rules`, access: "read" },
    } as const;
    const node = new MemoryNode({ store, nodeId, mounts });
    const tree = node.memory();
    const getNames = async (run: () => Promise<unknown>): Promise<string[]> =>
      (await commandsOf(client, run)).map((event) => event.commandName);
    expect(await getNames(() => tree.append("/team/a", "x"))).toHaveLength(1);
    expect(await getNames(() => tree.append("/b", "x"))).toHaveLength(1);
    expect((await getNames(() => tree.rename("/team/a", "/team/c"))).length).toBeLessThanOrEqual(2);
    expect(await getNames(() => tree.list("/"))).toEqual(["find"]);
    expect(await getNames(() => tree.read("/team/c"))).toEqual(["find"]);
    for (const content of ["tree", "index", "full"] as const) {
      expect(await getNames(() => node.createConnector({ content }).renderMessage())).toEqual(["find", "find", "find"]);
    }
  });
});

async function explain(command: Document): Promise<{ explained: string; stats: Document }> {
  const { lsid, $db, $clusterTime, txnNumber, writeConcern, $readPreference, ...rest } = command;
  void [lsid, $db, $clusterTime, txnNumber, writeConcern, $readPreference];
  const plan = await client.db(dbName).command({ explain: rest, verbosity: "executionStats" });
  return { explained: JSON.stringify(plan["queryPlanner"]), stats: plan["executionStats"] as Document };
}
