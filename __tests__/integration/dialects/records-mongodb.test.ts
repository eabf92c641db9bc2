import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { MongoClient } from "mongodb";
import { parse } from "yaml";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { type Memory, Agent, MemoryNode, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";
import { memoryPairs } from "../../helpers/memory-pairs.js";
import { type RecordAnswer, RecordBench } from "../../helpers/record-bench.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const database = testDatabase();
const client = useClient(new MongoClient(database.uri, { monitorCommands: true }));
const watched = new MongoMemoryStore({ client, dbName: database.name });
const count = 50;
const indices = Array.from({ length: count }, (_, index) => index);

describe.each(memoryPairs(database))("calls at once on a memory in %s", (_name, open) => {
  function start(): { memory: Memory; call: (index: number, name: string, args: object) => Promise<RecordAnswer> } {
    const [one, other] = open().map((memory) => new RecordBench(memory));
    if (one === undefined || other === undefined) throw new Error("two are needed");
    return { memory: one.memory, call: (index, name, args) => (index % 2 === 0 ? one : other).call(name, args) };
  }

  it("50 add_memory of one path: one is accepted, and its content is there", async () => {
    const { memory, call } = start();
    const answers = await Promise.all(
      indices.map((index) => call(index, "add_memory", { path: "a/b", content: `text ${index}` })),
    );
    const winners = indices.filter((index) => answers[index]?.status === "ok");
    expect(winners).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.error_code))).toEqual(new Set([undefined, "MEMORY_ALREADY_EXISTS"]));
    expect(await memory.read("/a/b")).toBe(`text ${winners[0]}`);
  });

  it("50 add_memory of different paths: all are there", async () => {
    const { memory, call } = start();
    const answers = await Promise.all(
      indices.map((index) => call(index, "add_memory", { path: `a/${index}`, content: "x" })),
    );
    expect(answers.filter(({ status }) => status === "error")).toEqual([]);
    expect(await memory.list("/a")).toHaveLength(count);
  });

  it("50 replace_memory of one path: all succeed, and one content is there whole", async () => {
    const { memory, call } = start();
    await memory.write("/a", "first");
    const contents = indices.map((index) => `${index} `.repeat(100));
    const answers = await Promise.all(
      contents.map((content, index) => call(index, "replace_memory", { path: "a", content })),
    );
    expect(answers.filter(({ status }) => status === "error")).toEqual([]);
    expect(contents).toContain(await memory.read("/a"));
  });

  it("50 drop_memory of one path: one succeeds", async () => {
    const { memory, call } = start();
    await memory.write("/a", "first");
    const answers = await Promise.all(indices.map((index) => call(index, "drop_memory", { path: "a" })));
    expect(answers.filter(({ status }) => status === "ok")).toHaveLength(1);
    expect(answers.filter(({ error_code: code }) => code === "MEMORY_NOT_FOUND")).toHaveLength(count - 1);
  });

  it("drop_memory never takes memories away that were added below its path meanwhile", async () => {
    const { memory, call } = start();
    for (let round = 0; round < 20; round += 1) {
      await call(0, "clear_memory", {});
      await call(0, "add_memory", { path: "a", content: "x" });
      const drops = [0, 1, 2].map((index) => call(index, "drop_memory", { path: "a" }));
      const adds = [0, 1, 2].map((index) => call(index, "add_memory", { path: `a/${index}`, content: "x" }));
      await Promise.all(drops);
      const added = (await Promise.all(adds)).flatMap(({ path }) => path ?? []);
      expect(new Set((await memory.snapshot()).files.map(({ path }) => path.slice(1)))).toEqual(new Set(added));
    }
  });

  it("clear_memory counts each memory once, however many clear", async () => {
    const { memory, call } = start();
    for (const index of indices) await memory.write(`/${index}`, "x");
    const answers = await Promise.all(indices.slice(0, 10).map((index) => call(index, "clear_memory", {})));
    expect(answers.reduce((sum, { cleared_count: cleared }) => sum + Number(cleared), 0)).toBe(count);
  });
});

describe("server commands", () => {
  it.each<[title: string, name: string, args: object]>([
    ["add_memory", "add_memory", { path: "new/one", content: "x" }],
    ["replace_memory", "replace_memory", { path: "d/f", content: "x" }],
    ["drop_memory", "drop_memory", { path: "d/f" }],
    ["drop_memory of nothing", "drop_memory", { path: "none" }],
    ["clear_memory", "clear_memory", {}],
  ])("%s is one", async (_title, name, args) => {
    const memory = watched.memory(freshAddress());
    await memory.write("/d/f", "text");
    const events = await commandsOf(client, () => new RecordBench(memory).call(name, args));
    expect(events).toHaveLength(1);
  });

  it.each<[title: string, name: string, args: object]>([
    ["add_memory of what exists", "add_memory", { path: "d/f", content: "x" }],
    ["replace_memory of nothing", "replace_memory", { path: "none", content: "x" }],
    ["drop_memory of a folder", "drop_memory", { path: "d" }],
  ])("%s is refused, and a second one tells why", async (_title, name, args) => {
    const memory = watched.memory(freshAddress());
    await memory.write("/d/f", "text");
    const events = await commandsOf(client, () => new RecordBench(memory).call(name, args));
    expect(events.length).toBeLessThanOrEqual(2);
  });

  it("a bad argument is none", async () => {
    const memory = watched.memory(freshAddress());
    const bench = new RecordBench(memory);
    const events = await commandsOf(client, async () => {
      for (const { name } of bench.tools) await bench.call(name, { path: "../x", content: "x" });
    });
    expect(events).toEqual([]);
  });
});

describe("a full memory", () => {
  it("is told, and nothing has changed", async () => {
    const bench = new RecordBench(watched.memory(freshAddress(), { maxMemoryBytes: 1000 }));
    await bench.call("add_memory", { path: "a", content: "x".repeat(500) });
    expect(await bench.call("add_memory", { path: "b", content: "x".repeat(500) })).toEqual({
      status: "error",
      error_code: "MEMORY_STORAGE_ERROR",
      message: expect.stringMatching(/^ENOSPC: .* over its limit of 1000 bytes/),
    });
    expect(Object.keys(await bench.files())).toEqual(["/a"]);
  });
});

describe.each(storesUnderTest())("in LangGraph with %s", (_name, open) => {
  const turns = [
    { name: "add_memory", args: { path: "project/todo", content: "- test" } },
    { name: "replace_memory", args: { path: "project/none", content: "x" } },
    { name: "drop_memory", args: { path: "project/todo" } },
    { name: "clear_memory", args: {} },
  ];
  const answers = ["ok", "MEMORY_NOT_FOUND", "ok", "ok"];
  const told = (texts: string[]): unknown[] =>
    texts.map((text) => parse(text) as RecordAnswer).map(({ status, error_code: code }) => code ?? status);

  it("a ToolNode runs 50 calls of one message, and the model learns of each", async () => {
    const memory = openMemory(open(), freshAddress());
    const toolCalls = indices.map((index) => ({
      id: `${index}`,
      name: "add_memory",
      args: { path: `p/${index % 40}`, content: "x" },
    }));
    const asking = new AIMessage({ content: "", tool_calls: toolCalls });
    const { messages } = (await new ToolNode(createRecordTools(memory)).invoke({ messages: [asking] })) as {
      messages: ToolMessage[];
    };
    expect(messages.map(({ status }) => status).filter((status) => status === "error")).toHaveLength(10);
    expect(messages.map((message) => message.tool_call_id)).toEqual(indices.map(String));
    expect(await memory.list("/p")).toHaveLength(40);
  });

  it.each(["createAgent", "Agent"] as const)("%s works with the run's store and thread", async (kind) => {
    const node = new MemoryNode({ ...freshAddress(), scope: "perThread" });
    const model = new ScriptedChatModel((messages) => {
      const turn = turns[messages.filter(({ type }) => type === "tool").length];
      return turn === undefined ? "done" : { tool: turn.name, args: turn.args };
    });
    const tools = createRecordTools(node);
    const agent =
      kind === "createAgent"
        ? createAgent({ model, tools, store: open() })
        : new Agent({ model, tools, store: open() });
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage("go")] },
      { configurable: { thread_id: "ada" } },
    );
    const results = messages.filter((message): message is ToolMessage => message.type === "tool");
    expect(told(results.map(({ text }) => text))).toEqual(answers);
    expect(results.map(({ status }) => status)).toEqual(["success", "error", "success", "success"]);
  });
});
