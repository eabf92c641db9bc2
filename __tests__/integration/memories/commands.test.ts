import { describe, expect, it } from "@jest/globals";
import { MongoClient, type CommandStartedEvent, type Document } from "mongodb";
import { restrict } from "../../helpers/restrict.js";
import { createAddress, memoryScopes } from "../../helpers/addresses.js";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { receivedBy } from "../../helpers/answers-of.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });

const sentBy = (run: () => Promise<unknown>): Promise<CommandStartedEvent[]> => commandsOf(client, run);

const commands: [string, number, (memory: Memory) => Promise<unknown>][] = [
  ["read", 1, (memory) => memory.read("/notes/today")],
  ["list", 1, (memory) => memory.list("/")],
  ["append to a file", 1, (memory) => memory.append("/notes/today", "x")],
  ["append that creates", 1, (memory) => memory.append("/new/file", "x")],
  ["update", 1, (memory) => memory.update("/notes/today", "text", "other")],
  ["update without a match", 1, (memory) => memory.update("/notes/today", "missing", "other")],
  ["delete of a file", 1, (memory) => memory.delete("/notes/today")],
  ["delete of nothing", 1, (memory) => memory.delete("/missing")],
  ["delete of a directory", 1, (memory) => memory.delete("/notes")],
  ["delete of everything", 1, (memory) => memory.delete("/")],
  ["write", 1, (memory) => memory.write("/notes/today", "x")],
  ["stat", 1, (memory) => memory.stat("/notes")],
  ["snapshot", 1, (memory) => memory.snapshot()],
  ["outline", 1, (memory) => memory.outline({ maxContentBytes: 100 })],
  ["grep", 1, (memory) => memory.grep("text")],
  ["first search", 2, (memory) => memory.search("text")],
  ["edit", 2, (memory) => memory.edit("/notes/today", (text) => `${text}!`)],
  ["rename of a file", 2, (memory) => memory.rename("/notes/today", "/moved")],
  ["rename of a directory", 2, (memory) => memory.rename("/notes", "/moved")],
];

describe("server commands", () => {
  for (const scope of memoryScopes) {
    const open = (): Memory => store.memory(createAddress(freshAddress().nodeId, scope, "t"));
    for (const [title, count, run] of commands) {
      it(`${title} is ${count === 1 ? "one command" : "at most two"} on a ${scope} memory`, async () => {
        const memory = open();
        await memory.write("/notes/today", "text");
        const sent = await sentBy(() => run(memory));
        expect(sent.length).toBeLessThanOrEqual(count);
      });

      it(`${title} is served by the index of ids where a ${scope} memory is new to the store`, async () => {
        const memory = open();
        await memory.write("/notes/today", "text");
        const newcomer = new MongoMemoryStore({ client, dbName: name });
        await newcomer.start();
        const [first] = await sentBy(() => run(newcomer.memory(memory.address)));
        const { explained } = await explain(first?.command ?? {});
        expect(explained).toMatch(/"IDHACK"|"_id_"/);
        expect(explained).not.toContain("COLLSCAN");
      });

      it(`${title} is served by an index on a ${scope} memory that the store has seen`, async () => {
        const memory = open();
        await memory.write("/notes/today", "text");
        for (const { command } of await sentBy(() => run(memory))) {
          const { explained } = await explain(command);
          expect(explained).toMatch(/"IDHACK"|"_id_"/);
          expect(explained).not.toContain("COLLSCAN");
        }
      });
    }
  }

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
      counts.push((await sentBy(run)).length);
    }
    expect(counts).toEqual([1, 3, 1, 1]);
    await expect(sentBy(() => ruled.write("/policies/a", "x"))).rejects.toThrow("EACCES");
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
    const sent = await sentBy(() => store.memory(freshAddress()).append("/file", "x"));
    expect(sent).toHaveLength(1);
  });

  it("a command examines one key however many memories there are", async () => {
    const node = freshAddress();
    const thread = (index: number): Memory =>
      store.memory({ ...node, scope: "perThread", threadId: `thread ${index}` });
    await Promise.all(Array.from({ length: 100 }, (_, index) => thread(index).append("/file", "x")));
    const [sent] = await sentBy(() => thread(50).read("/file"));
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
      const render = (threadId?: string) => sentBy(() => connector.renderMessage({ threadId }));
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
      (await sentBy(run)).map((event) => event.commandName);
    expect(await getNames(() => tree.append("/team/a", "x"))).toHaveLength(1);
    expect(await getNames(() => tree.append("/b", "x"))).toHaveLength(1);
    expect((await getNames(() => tree.rename("/team/a", "/team/c"))).length).toBeLessThanOrEqual(2);
    expect(await getNames(() => tree.list("/"))).toEqual(["find"]);
    expect(await getNames(() => tree.read("/team/c"))).toEqual(["find"]);
    for (const content of ["tree", "index", "full"] as const) {
      expect(await getNames(() => node.createConnector({ content }).renderMessage())).toEqual(["find", "find", "find"]);
    }
  });

  it("changes are sent with write concern majority and journal", async () => {
    const sent = await sentBy(() => store.memory(freshAddress()).append("/file", "x"));
    expect(sent[0]?.command["writeConcern"]).toEqual({ w: "majority", j: true });
  });

  it("items are sent with the client's own write concern", async () => {
    await store.start();
    const sent = await sentBy(() => store.put(["items"], "key", {}));
    expect(sent.map(({ commandName }) => commandName)).toEqual(["update"]);
    expect(sent[0]?.command).not.toHaveProperty("writeConcern");
  });
});

async function explain(command: Document): Promise<{ explained: string; stats: Document }> {
  const { lsid, $db, $clusterTime, txnNumber, writeConcern, $readPreference, ...rest } = command;
  void [lsid, $db, $clusterTime, txnNumber, writeConcern, $readPreference];
  const plan = await client.db(name).command({ explain: rest, verbosity: "executionStats" });
  return { explained: JSON.stringify(plan["queryPlanner"]), stats: plan["executionStats"] as Document };
}
