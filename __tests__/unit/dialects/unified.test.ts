import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware } from "langchain";
import { type Memory, MemoryNode, type MemoryRun, MemoryTool, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

const store = new InMemoryStore();
const freshMemory = (): Memory => openMemory(store, freshAddress());
const list = { path: "/", command: "list" } as const;
const read = { path: "/a", command: "read" } as const;
const listed = '{"command":"list","path":"/","ok":true,"result":{"entries":[]}}';
const refusal = (command: string, path: string, message: string, code = "EINVAL"): string =>
  JSON.stringify({ command, path, ok: false, error: { message, code } });

/** The answer as the model reads it, and whether it is marked as an error where the way of calling can mark it. */
interface Answered {
  text: string;
  status?: "success" | "error" | undefined;
}

type Way = (tool: MemoryTool, args: unknown) => Promise<Answered>;

const createCall = (args: unknown) =>
  ({ type: "tool_call", id: "call-1", name: "memory", args: args as never }) as const;

function answeredBy(message: unknown): Answered {
  if (!ToolMessage.isInstance(message)) throw new Error(`expected a ToolMessage, not ${JSON.stringify(message)}`);
  expect([message.tool_call_id, message.name]).toEqual(["call-1", "memory"]);
  return { text: message.text, status: message.status };
}

const passOn = createMiddleware({ name: "PassOn", wrapToolCall: (request, handler) => handler(request) });
const callingOnce = (args: unknown): ScriptedChatModel =>
  new ScriptedChatModel((messages) =>
    ToolMessage.isInstance(messages.at(-1)) ? "done" : { tool: "memory", args: args as never },
  );
const go = () => ({ messages: [new HumanMessage("go")] });

const inAgent =
  (middleware: (typeof passOn)[]): Way =>
  async (tool, args) => {
    const { messages } = await createAgent({ model: callingOnce(args), tools: [tool], middleware }).invoke(go());
    expect(messages.at(-1)?.text).toBe("done");
    return answeredBy(messages.at(-2));
  };

const ways: Record<string, Way> = {
  "called directly": async (tool, args) => ({ text: await tool.invoke(args as never) }),
  "called with a ToolCall": async (tool, args) => answeredBy(await tool.invoke(createCall(args))),
  "in langgraph's ToolNode": async (tool, args) => {
    const asking = new AIMessage({ content: "", tool_calls: [createCall(args)] });
    const node = new ToolNode([tool], { handleToolErrors: false });
    return answeredBy(((await node.invoke({ messages: [asking] })) as { messages: unknown[] }).messages[0]);
  },
  "in createAgent": inAgent([]),
  "in createAgent with a wrapToolCall middleware": inAgent([passOn]),
};

const noObject = "the arguments must be an object with path and command";

describe.each(Object.entries(ways))("a tool %s", (way, call) => {
  it.each([
    [null, refusal("", "", noObject)],
    ['{"path":"/a","command":"read"}', refusal("", "", noObject)],
    [{}, refusal("", "", "command is required: read, list, append, update, delete")],
    [{ path: { $ne: null }, command: "delete" }, refusal("delete", "", "path must be a string (given object)")],
    [
      { ...read, recursive: true },
      refusal(
        "read",
        "/a",
        "unknown argument: recursive; the arguments are path, command, content, oldContent, fromLine",
      ),
    ],
    [read, refusal("read", "/a", "ENOENT: file not found", "ENOENT")],
  ])("answers %j by a refusal that is marked as one", async (args, text) => {
    expect(await call(new MemoryTool({ memory: freshMemory() }), args)).toEqual({
      text,
      ...(way !== "called directly" && { status: "error" }),
    });
  });

  it("marks what succeeds", async () => {
    const { text, status = "success" } = await call(new MemoryTool({ memory: freshMemory() }), list);
    expect([text, status]).toEqual([listed, "success"]);
  });
});

describe("what no JSON holds, or is longer than any", () => {
  const circular: Record<string, unknown> = { ...read };
  circular["content"] = circular;
  const inSixtyLevels = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
  const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
  const long = "x".repeat(10_000_000);
  const content = (given: string): string => `content must be a string (given ${given})`;

  it.each<[title: string, args: unknown, answer: string]>([
    ["undefined", undefined, refusal("", "", noObject)],
    ["a bigint", 1n, refusal("", "", noObject)],
    ["a function", () => {}, refusal("", "", noObject)],
    ["a symbol", Symbol("s"), refusal("", "", noObject)],
    ["a bigint for the content", { ...read, content: 1n }, refusal("read", "/a", content("bigint"))],
    ["a cycle", circular, refusal("read", "/a", content("object"))],
    [
      "an object in 2 to the 60th places",
      { ...read, content: inSixtyLevels },
      refusal("read", "/a", content("object")),
    ],
    ["a date", new Date(0), refusal("", "", "command is required: read, list, append, update, delete")],
    [
      "an object without a prototype",
      Object.assign(Object.create(null) as object, { command: "read" }),
      refusal("read", "", "path is required"),
    ],
    ["endless nesting", { path: deep, command: "read" }, refusal("read", "", "path must be a string (given object)")],
    [
      "an endless command",
      { path: "/a", command: long },
      refusal(
        `${"x".repeat(63)}…`,
        "/a",
        `unknown command: ${"x".repeat(63)}…; the commands are read, list, append, update, delete`,
      ),
    ],
    [
      "an endless path",
      { path: long, command: "read" },
      refusal("read", `${"x".repeat(1023)}…`, "invalid path: longer than 1024 characters"),
    ],
    [
      "an endless row of names",
      { path: "/a".repeat(500_000), command: "read" },
      refusal("read", `${"/a".repeat(511)}/…`, "invalid path: more than 32 levels"),
    ],
  ])("is refused: %s", async (_title, args, answer) => {
    const tool = new MemoryTool({ memory: freshMemory() });
    expect(await tool.invoke(args as never)).toBe(answer);
    expect(answeredBy(await tool.invoke(createCall(args)))).toEqual({ text: answer, status: "error" });
  });

  it("is left out where it is undefined", async () => {
    const tool = new MemoryTool({ memory: freshMemory() });
    expect(await tool.invoke({ ...list, content: undefined, oldContent: undefined })).toBe(listed);
  });
});

describe("what the model is told of the tool", () => {
  const description: unknown = expect.any(String);
  const path = { type: "string", description };
  const fromLine = { anyOf: [{ type: "integer", description }, { type: "null" }] };

  it("is what the options say", async () => {
    const tool = new MemoryTool({ name: "notes", description: "Notes of the team.", title: "Team notes" });
    expect([tool.name, tool.description, tool.title, tool.metadata]).toEqual([
      "notes",
      "Notes of the team.",
      "Team notes",
      { title: "Team notes" },
    ]);
    for (const args of [read, { path: "/a" }]) {
      const message = await tool.invoke({ type: "tool_call", id: "1", name: "notes", args });
      expect(message).toMatchObject({ name: "notes", metadata: { title: "Team notes" }, status: "error" });
    }
  });

  it("is only the commands allowed", () => {
    const tool = new MemoryTool({ memory: freshMemory(), commands: ["read", "list"] });
    const command = { type: "string", enum: ["read", "list"], description };
    expect(tool.schema.properties).toEqual({ path, command, fromLine });
    expect(tool.description).toContain("- read:");
    expect(tool.description).not.toMatch(/append|update|delete/);
  });

  it.each([
    ["plain", ' such as "/notes/today"; names are letters A-Z, a-z, digits, "_", "-" and spaces.'],
    ["posix", ' such as "/notes/today"; names are any Unicode in NFC, such as "notes.txt".'],
  ] as const)("is the rule of names of its memory: %s", (paths, told) => {
    const address = freshAddress();
    const tool = new MemoryTool();
    expect(tool.description).toContain(' such as "/notes/today".\n');
    tool.setMemorySource(openMemory(store, address, { paths }));
    const [ofNode] = new MemoryNode({ ...address, paths }).memoryTools;
    expect([tool.description, ofNode?.description]).toEqual([
      expect.stringContaining(told),
      expect.stringContaining(told),
    ]);
  });

  it.each([
    [{ name: "two words" }, "name"],
    [{ name: "" }, "name"],
    [{ commands: [] }, "commands"],
    [{ commands: ["write"] }, "commands"],
    [{ memory: "notes" }, "the memory of a tool must be"],
    [{ memory: {} }, "the memory of a tool must be"],
    [{ memroy: 1 }, "memroy"],
  ])("is a TypeError of the program for the options %j", (options, named) => {
    expect(() => new MemoryTool(options as never)).toThrow(TypeError);
    expect(() => new MemoryTool(options as never)).toThrow(named);
  });

  it("has types, and so have the tools of a node", async () => {
    const [tool] = new MemoryNode({ ...freshAddress(), store }).memoryTools;
    await tool?.invoke({ path: "/", command: "list" });
    // @ts-expect-error no such command
    await tool?.invoke({ path: "/", command: "remove" });
    // @ts-expect-error no path
    await tool?.invoke({ command: "read" });
    // @ts-expect-error a number
    await new MemoryTool().invoke({ path: "/a", command: "append", content: 1 });
  });
});

describe("the source of the tool's memory", () => {
  it("may be missing, and be given and changed later", async () => {
    const tool = new MemoryTool();
    const none = "ENOTMEM: no memory connected; pass `memory` to the tool or call setMemorySource";
    expect(await tool.invoke(read)).toBe(refusal("read", "/a", none, "ENOTMEM"));
    for (const content of ["first", "second"]) {
      const memory = freshMemory();
      await memory.append("/a", content);
      tool.setMemorySource(memory);
      expect(await tool.invoke(read)).toContain(`"content":"${content}"`);
    }
    expect(() => tool.setMemorySource(undefined as never)).toThrow(TypeError);
  });

  it("may be a MemoryNode; one without a store answers ENOTMEM outside a graph", async () => {
    const { nodeId } = freshAddress();
    expect(await new MemoryTool({ memory: new MemoryNode({ nodeId }) }).invoke(read)).toContain('"code":"ENOTMEM"');
    const node = new MemoryNode({ nodeId, store });
    await node.memory().append("/a", "of the node");
    expect(await new MemoryTool({ memory: node }).invoke(read)).toContain("of the node");
  });

  it("may be a function of the run, which may be asynchronous", async () => {
    const runs: MemoryRun[] = [];
    const memory = freshMemory();
    const tool = new MemoryTool({ memory: async (run) => (runs.push(run), Promise.resolve(memory)) });
    const configurable = { thread_id: "thread 1", user_id: "ada", colour: "red" };
    await tool.invoke(createCall(list), { configurable, context: { tenant: "acme" } } as RunnableConfig);
    await tool.invoke(list);
    const config: unknown = expect.objectContaining({ configurable });
    expect(runs).toEqual([
      { threadId: "thread 1", userId: "ada", toolCallId: "call-1", context: { tenant: "acme" }, config },
      { config: expect.any(Object) },
    ]);
  });

  it.each([
    [{}, ""],
    [{ thread_id: "" }, ""],
    [{ thread_id: null }, ""],
    [{ thread_id: 7 }, ": a non-empty string (given 7)"],
    [{ thread_id: { $ne: null } }, ": a non-empty string (given an object)"],
  ])(
    "of scope perThread refuses a run with configurable %j, and says what was given%s",
    async (configurable, given) => {
      const tool = new MemoryTool({ memory: new MemoryNode({ ...freshAddress(), store, scope: "perThread" }) });
      const message = `thread_id is required for perThread scope${given}`;
      expect(await tool.invoke(read, { configurable })).toBe(refusal("read", "/a", message));
      const append = { path: "/a", command: "append", content: "x" } as const;
      expect(await tool.invoke(append, { configurable })).toBe(refusal("append", "/a", message));
    },
  );

  it("of scope perThread is that of the run's thread, never the global one or one that the arguments name", async () => {
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    await node.globalMemory().append("/shared", "for all");
    await node.memory("2").append("/a", "secret");
    const call = (args: object): Promise<string> =>
      new MemoryTool({ memory: node }).invoke(args as never, { configurable: { thread_id: "1" } });
    expect(await call(list)).toContain('"entries":[]');
    for (const path of ["/shared", "/a"]) {
      expect(await call({ path, command: "read" })).toContain("ENOENT");
      expect(await call({ path, command: "update", oldContent: "e", content: "x" })).toContain("ENOENT");
    }
    expect(await call({ path: "/", command: "delete" })).toContain('{"files":0,"dirs":0}');
    const sly = { ...read, threadId: "2", thread_id: "2", nodeId: "x", scope: "global" };
    expect(await call(sly)).toContain("unknown argument: threadId");
    await call({ path: "/shared", command: "append", content: "of the thread" });
    expect(await node.globalMemory().read("/shared")).toBe("for all");
    expect(await node.memory("1").read("/shared")).toBe("of the thread");
  });

  it.each([
    ["a TypeError", new TypeError("cannot read properties of mongodb://admin:hunter2@db.internal")],
    ["a text", "mongodb://admin:hunter2@db.internal"],
    ["nothing", undefined],
  ])("may fail by %s, of which the answer tells nothing", async (_title, failure) => {
    const failing = Object.assign(new InMemoryStore(), { batch: () => Promise.reject(failure as Error) });
    const answer = await new MemoryTool({ memory: openMemory(failing, freshAddress()) }).invoke(list);
    expect(answer).toMatch(/"error":\{"message":"EIO: the store failed to \w+","code":"EIO"\}\}$/);
  });
});

/** A memory whose `list` does what the test says. */
function memoryThat(run: () => unknown): Memory {
  const faked: Memory = Object.assign(Object.create(freshMemory()) as Memory, {
    list: async () => run(),
    snapshot: async () => run(),
    with: () => faked,
  });
  return faked;
}

describe("a tool in a run", () => {
  const granted = (): boolean => interrupt("may I?") === "yes";

  it.each([
    ["source", () => (granted() ? freshMemory() : (undefined as never))],
    ["memory", memoryThat(() => (granted() ? [] : null))],
  ])("stops an agent by an interrupt of its %s, and goes on when resumed", async (_title, memory) => {
    const agent = createAgent({
      model: callingOnce(list),
      tools: [new MemoryTool({ memory })],
      middleware: [passOn],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    expect(await agent.invoke(go(), config)).toMatchObject({ __interrupt__: [{ value: "may I?" }] });
    const { messages } = await agent.invoke(new Command({ resume: "yes" }), config);
    expect(messages.at(-2)?.text).toBe(listed);
  });

  it("finds the run's thread where its call forwards no config, whatever the arguments", async () => {
    const threads: unknown[] = [];
    const tool = new MemoryTool({ memory: ({ threadId }) => (threads.push(threadId), freshMemory()) });
    const caller = createMiddleware({
      name: "Caller",
      beforeModel: async () => {
        await tool.invoke(list);
        await tool.invoke({ ...list, content: null } as never);
      },
    });
    const agent = createAgent({ model: new ScriptedChatModel(() => "done"), tools: [], middleware: [caller] });
    await agent.invoke(go(), { configurable: { thread_id: "thread 7" } });
    expect(threads).toEqual(["thread 7", "thread 7"]);
  });

  it("tells the tracer the start and the end of a command, a failed one too", async () => {
    const tool = new MemoryTool({ memory: freshMemory() });
    const trace = new Trace();
    for (const call of [createCall(list), list, createCall(read)]) await tool.invoke(call, { callbacks: [trace] });
    expect(trace.events).toEqual([
      ["start", JSON.stringify(list), undefined, "call-1"],
      ["end", ["success", listed]],
      ["start", JSON.stringify(list), undefined, undefined],
      ["end", listed],
      ["start", JSON.stringify(read), undefined, "call-1"],
      ["end", ["error", refusal("read", "/a", "ENOENT: file not found", "ENOENT")]],
    ]);
  });
});

class Trace extends BaseCallbackHandler {
  readonly name = "trace";
  override readonly awaitHandlers = true;
  readonly events: unknown[] = [];

  override handleToolStart(
    ...[, input, , , , , runName, toolCallId]: Parameters<NonNullable<BaseCallbackHandler["handleToolStart"]>>
  ): void {
    this.events.push(["start", input, runName, toolCallId]);
  }

  override handleToolEnd(output: unknown): void {
    this.events.push(["end", ToolMessage.isInstance(output) ? [output.status, output.text] : output]);
  }
}
