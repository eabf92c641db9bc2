import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import type { Memory } from "../../../src/core/memory.js";
import { mountMemories } from "../../../src/core/mounts/mounted-memory.js";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createUnifiedDialect } from "../../../src/dialects/unified/unified-dialect.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import { MemoryTool } from "../../../src/langchain/memory-tool.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { type MongoMemoryStoreOptions, pageBytesOption } from "../../../src/mongodb/store/store-options.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { callTool, Task, type ToolCallInTask } from "../../helpers/call-in-task.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import { describeVariant, variants, withPageBytes } from "../../helpers/page-sizes.js";
import { readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const documents = db.collection("memories");
const dialects = await dialectsUnderTest();

const openMemory = (options: Omit<MongoMemoryStoreOptions, "client"> = {}): Memory =>
  new MongoMemoryStore({ client, dbName, ...options }).memory(freshAddress());

const memoryCall = (args: Record<string, unknown>): ToolCallInTask => ({ name: "memory", args });
const append = (path: string, content: string): ToolCallInTask => memoryCall({ command: "append", path, content });
const call = (memory: Memory, toolCall: ToolCallInTask, attempt: object): Promise<string> =>
  callTool([new MemoryTool({ memory })], toolCall, attempt);

async function countVersions(memory: Memory): Promise<number> {
  let count = 0;
  for await (const _ of memory.history?.list() ?? []) count += 1;
  return count;
}

describe.each(variants.map((variant) => [describeVariant(variant), variant] as const))(
  "on %s",
  (_title, { place, history }) => {
    const [kind, pageBytes] = place;
    const { client: ownClient, name } = testDatabase(kind);
    const collection = ownClient.db(name).collection("memories");
    const openStore = (): MongoMemoryStore =>
      new MongoMemoryStore({ client: ownClient, dbName: name, history, ...withPageBytes(pageBytes) });

    it.each(dialects)("each call of %s answers and changes the same once it is repeated", async (_name, dialect) => {
      for (const { tool: toolName, args } of Object.values(dialect.commands)) {
        const memory = openStore().memory(freshAddress());
        const tools = dialect.tools(memory);
        for (const prepared of dialect.prepare)
          await callTool(tools, { name: prepared.tool, args: prepared.args }, new Task().attempt());
        const task = new Task();
        const first = await callTool(tools, { name: toolName, args }, task.attempt());
        const [snapshot, versions] = [await memory.snapshot(), await countVersions(memory)];
        const stored = await readStoredPages(collection, memory.address);
        // As in another process, which knows none of the pages.
        const elsewhere = openStore().memory(memory.address);
        const again = await callTool(dialect.tools(elsewhere), { name: toolName, args }, task.attempt());
        expect(again.replaceAll(/\d{4}-\S+/g, "")).toBe(first.replaceAll(/\d{4}-\S+/g, ""));
        expect([await memory.snapshot(), await countVersions(memory)]).toEqual([snapshot, versions]);
        // With a history, the versions move out of the documents meanwhile.
        if (!history) expect(await readStoredPages(collection, memory.address)).toEqual(stored);
      }
    });
  },
);

describe("a call of a tool", () => {
  it("costs no further command in a task, in any dialect", async () => {
    for (const [, dialect] of dialects)
      for (const { tool: name, args } of Object.values(dialect.commands)) {
        const count = async (config: object): Promise<number> => {
          const memory = openMemory({ history: true });
          const tools = dialect.tools(memory);
          for (const prepared of dialect.prepare)
            await callTool(tools, { name: prepared.tool, args: prepared.args }, {});
          return (await commandsOf(client, () => callTool(tools, { name, args }, config))).length;
        };
        expect(await count(new Task().attempt())).toBe(await count({}));
      }
  });

  it("is made again in another task with the same id, and outside a task", async () => {
    const memory = openMemory();
    await call(memory, append("/a", "x"), new Task().attempt());
    await call(memory, append("/a", "x"), new Task().attempt());
    await call(memory, append("/a", "x"), { configurable: { thread_id: "t" } });
    await call(memory, append("/a", "x"), { configurable: { thread_id: "t" } });
    expect(await memory.read("/a")).toBe("x\nx\nx\nx");
  });

  it("is made as often as a message has it, however often the task runs", async () => {
    const memory = openMemory();
    const task = new Task();
    for (let attempts = 0; attempts < 3; attempts += 1) {
      const attempt = task.attempt();
      await Promise.all(["x", "x", "y"].map((line) => call(memory, append("/a", line), attempt)));
    }
    expect((await memory.read("/a")).split("\n").toSorted()).toEqual(["x", "x", "y"]);
  });

  it("may have any id", async () => {
    const memory = openMemory();
    const ids = ["a.b", "$set", "__proto__", "\0", "\uD800", "i".repeat(10_000)];
    const tasks = ids.map(() => new Task());
    for (let attempts = 0; attempts < 2; attempts += 1)
      for (const [index, id] of ids.entries())
        await call(memory, { ...append("/a", String(index)), id }, tasks[index]?.attempt() ?? {});
    expect(await memory.read("/a")).toBe("0\n1\n2\n3\n4\n5");
  });

  it("keeps its answer when others have changed the file since", async () => {
    const memory = openMemory();
    await memory.write("/a", "one one");
    const task = new Task();
    const update = memoryCall({ command: "update", path: "/a", oldContent: "one", content: "two" });
    const first = await call(memory, update, task.attempt());
    expect(first).toContain('"replaced":2');
    await memory.write("/a", "one");
    expect(await call(memory, update, task.attempt())).toBe(first);
    await memory.delete("/a");
    expect(await call(memory, update, task.attempt())).toBe(first);
    expect(await memory.stat("/a")).toBeNull();
  });

  it("takes the arguments in another order of their keys for the same", async () => {
    const memory = openMemory();
    const task = new Task();
    await call(memory, memoryCall({ command: "append", path: "/a", content: "x" }), task.attempt());
    await call(memory, memoryCall({ content: "x", path: "/a", command: "append" }), task.attempt());
    expect(await memory.read("/a")).toBe("x");
  });

  it("is made once by attempts that run at the same time", async () => {
    const memory = openMemory();
    const task = new Task();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(memory, append("/a", "x"), task.attempt())),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await memory.read("/a")).toBe("x");
  });

  it("is made once if an attempt is aborted while the server makes it", async () => {
    const memory = openMemory();
    await memory.write("/a", "");
    const task = new Task();
    const controller = new AbortController();
    const abort = (): void => controller.abort(new Error("a neighbour failed"));
    client.once("commandStarted", abort);
    await expect(call(memory, append("/a", "x"), task.attempt(controller.signal))).rejects.toThrow("neighbour");
    await call(memory, append("/a", "x"), task.attempt());
    expect(await memory.read("/a")).toBe("x");
  });

  it("shows the present lines if an edit is repeated, also under a guard", async () => {
    const guarded: string[] = [];
    const store = new MongoMemoryStore({ client, dbName });
    const guard = ({ content }: { content: string }): string => {
      guarded.push(content);
      return content.replaceAll("secret", "[hidden]");
    };
    for (const options of [{}, { guard }]) {
      const node = new MemoryNode({ store, nodeId: freshAddress().nodeId, ...options });
      await node.memory().write("/a.txt", "one\ntwo\nthree\n");
      const tools = [createClaudeMemoryTool(node)];
      const task = new Task();
      const edit = memoryCall({ command: "str_replace", path: "/memories/a.txt", old_str: "two", new_str: "2" });
      const first = await callTool(tools, edit, task.attempt());
      expect(await callTool(tools, edit, task.attempt())).toBe(first);
      await node.memory().delete("/a.txt");
      expect(await callTool(tools, edit, task.attempt())).toBe(first.split("\n")[0]);
    }
    expect(guarded).toContain("one\n2\nthree\n");
  });

  it("is made once if it tries one command and then another, as the journal does", async () => {
    const memory = openMemory();
    await memory.write("/a", "one");
    const [definition] = createUnifiedDialect().tools;
    if (definition === undefined) throw new Error("no tool");
    const tool = new DialectTool(
      {
        ...definition,
        answer: async (_args, open) => {
          const opened = await open();
          if ((await opened.update("/a", "none", "x")) === 0) await opened.edit("/a", (text) => `${text}!`);
          await opened.append("/a", "end");
          return { text: "", failed: false };
        },
      },
      memory,
    );
    const task = new Task();
    for (let attempts = 0; attempts < 3; attempts += 1) await callTool([tool], memoryCall({}), task.attempt());
    expect(await memory.read("/a")).toBe("one!\nend");
  });

  it("is made once in a tree of mounts, where a path can be in several memories", async () => {
    const [own, team] = [openMemory(), openMemory()];
    const tree = mountMemories({ "/": own, "/team": team });
    const task = new Task();
    for (let attempts = 0; attempts < 2; attempts += 1) {
      const attempt = task.attempt();
      await call(tree, { ...append("/a", "x"), id: "1" }, attempt);
      await call(tree, { ...append("/team/a", "x"), id: "2" }, attempt);
    }
    expect([await own.read("/a"), await team.read("/a")]).toEqual(["x", "x"]);
  });
});

describe("the calls that a page keeps", () => {
  const files = Array.from({ length: 30 }, (_, index) => `/d${String(index).padStart(2, "0")}/file`);
  const calls = files.map((path) => append(path, "x".repeat(100)));

  it("stay with the pages that a change splits and joins", async () => {
    const memory = openMemory({ [pageBytesOption]: 1000 });
    const tasks = calls.map(() => new Task());
    for (const [index, toolCall] of calls.entries()) await call(memory, toolCall, tasks[index]?.attempt() ?? {});
    const moving = new Task();
    const rename = async (attempt: object): Promise<string> =>
      callTool(
        [createClaudeMemoryTool(memory)],
        memoryCall({ command: "rename", old_path: "/memories/d05", new_path: "/memories/z" }),
        attempt,
      );
    await rename(moving.attempt());
    expect((await readStoredPages(documents, memory.address)).length).toBeGreaterThan(5);
    const before = await memory.snapshot();
    for (const [index, toolCall] of calls.entries()) await call(memory, toolCall, tasks[index]?.attempt() ?? {});
    await rename(moving.attempt());
    expect(await memory.snapshot()).toEqual(before);
    const clearing = new Task();
    const clear = memoryCall({ command: "delete", path: "/" });
    const first = await call(memory, clear, clearing.attempt());
    await memory.write("/new", "kept");
    expect(await call(memory, clear, clearing.attempt())).toBe(first);
    for (const [index, toolCall] of calls.entries()) await call(memory, toolCall, tasks[index]?.attempt() ?? {});
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/new"]);
  });

  it("are bounded in number and by age, and are no part of the size of the memory", async () => {
    const clock = { now: Date.now() };
    const options = { clock: () => new Date(clock.now) };
    const memory = openMemory(options);
    const readCalls = async (): Promise<string[]> => {
      const [page] = await readStoredPages(documents, memory.address);
      return Object.keys(page?.calls ?? {});
    };
    await call(memory, append("/a", "x"), new Task().attempt());
    const [oldest] = await readCalls();
    for (let index = 0; index < 200; index += 1)
      await call(
        memory,
        memoryCall({ command: "update", path: "/a", oldContent: "x", content: "x" }),
        new Task().attempt(),
      );
    expect(await readCalls()).toHaveLength(200);
    expect(await readCalls()).not.toContain(oldest);
    const store = new MongoMemoryStore({ client, dbName });
    for await (const { sizeBytes } of store.listMemories({ nodeId: memory.address.nodeId }))
      expect(sizeBytes).toBeLessThan(600);
    clock.now += 31 * 86_400_000;
    await call(memory, append("/a", "x"), new Task().attempt());
    expect(await readCalls()).toHaveLength(1);
  });
});
