import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import fc from "fast-check";
import { createAgent, createMiddleware } from "langchain";
import { ScriptedChatModel } from "../../../helpers/scripted-chat-model.js";
import { openMemory, MemoryTool } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import { repetitions } from "../../../helpers/repetitions.js";

const store = new InMemoryStore();

function freshTool(): MemoryTool {
  return new MemoryTool({ memory: openMemory(store, freshAddress()) });
}

/** The answer as the model reads it, and whether it is marked as an error where the way of calling can mark it. */
interface Answered {
  text: string;
  status?: "success" | "error" | undefined;
}

type Way = (tool: MemoryTool, args: unknown) => Promise<Answered>;

const createCall = (args: unknown) => ({
  type: "tool_call" as const,
  id: "call-1",
  name: "memory",
  args: args as never,
});

function answeredBy(message: unknown): Answered {
  if (!ToolMessage.isInstance(message)) throw new Error(`expected a ToolMessage, not ${JSON.stringify(message)}`);
  expect([message.tool_call_id, message.name]).toEqual(["call-1", "memory"]);
  return { text: message.text, status: message.status };
}

const inAgent =
  (middleware: ReturnType<typeof createMiddleware>[]): Way =>
  async (tool, args) => {
    const model = new ScriptedChatModel((messages) =>
      ToolMessage.isInstance(messages.at(-1)) ? "done" : { tool: "memory", args: args as never },
    );
    const { messages } = await createAgent({ model, tools: [tool], middleware }).invoke({
      messages: [new HumanMessage("go")],
    });
    expect(messages.at(-1)?.text).toBe("done");
    return answeredBy(messages.at(-2));
  };

const passOn = createMiddleware({ name: "PassOn", wrapToolCall: (request, handler) => handler(request) });

const ways: Record<string, Way> = {
  "called directly": async (tool, args) => ({ text: await tool.invoke(args as never) }),
  "called with a ToolCall": async (tool, args) => answeredBy(await tool.invoke(createCall(args))),
  "in langgraph's ToolNode": async (tool, args) => {
    const asking = new AIMessage({ content: "", tool_calls: [createCall(args)] });
    const { messages } = (await new ToolNode([tool], { handleToolErrors: false }).invoke({ messages: [asking] })) as {
      messages: unknown[];
    };
    return answeredBy(messages[0]);
  },
  "in createAgent": inAgent([]),
  "in createAgent with a wrapToolCall middleware": inAgent([passOn]),
};

const long = "x".repeat(10_000_000);
const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;

const argumentNames = "; the arguments are path, command, content, oldContent, fromLine";
const commands = "; the commands are read, list, append, update, delete";

/** Bad arguments, and what the envelope repeats of them and says. */
const badArguments: [title: string, args: unknown, command: string, path: string, message: string | RegExp][] = [
  ["null", null, "", "", "the arguments must be an object with path and command"],
  ["a string", '{"path":"/a","command":"read"}', "", "", "the arguments must be an object with path and command"],
  ["a number", 7, "", "", "the arguments must be an object with path and command"],
  ["an array", ["read", "/a"], "", "", "the arguments must be an object with path and command"],
  ["an empty object", {}, "", "", /^command is required/],
  ["no command", { path: "/a" }, "", "/a", "command is required: read, list, append, update, delete"],
  ["no path", { command: "read" }, "read", "", "path is required"],
  ["null for the path", { path: null, command: "read" }, "read", "", "path is required"],
  ["a number for the path", { path: 1, command: "read" }, "read", "", "path must be a string (given number)"],
  [
    "operators for the path",
    { path: { $ne: null }, command: "delete" },
    "delete",
    "",
    "path must be a string (given object)",
  ],
  ["operators for the command", { path: "/a", command: { $gt: "" } }, "", "/a", `unknown command: object${commands}`],
  [
    "a number for the content",
    { path: "/a", command: "append", content: 7 },
    "append",
    "/a",
    "content must be a string (given number)",
  ],
  [
    "operators for the content",
    { path: "/a", command: "append", content: { $set: 1 } },
    "append",
    "/a",
    "content must be a string (given object)",
  ],
  [
    "null for the content",
    { path: "/a", command: "append", content: null },
    "append",
    "/a",
    "content is required for append",
  ],
  [
    "operators for the old content",
    { path: "/a", command: "update", oldContent: { $ne: "" }, content: "b" },
    "update",
    "/a",
    "oldContent must be a string (given object)",
  ],
  [
    "an unknown argument",
    { path: "/a", command: "read", recursive: true },
    "read",
    "/a",
    `unknown argument: recursive${argumentNames}`,
  ],
  [
    "a command of another tool, with its arguments",
    { path: "/a", command: "view", view_range: [1, 2] },
    "view",
    "/a",
    `unknown command: view${commands}`,
  ],
  ["an unknown argument without a command", { path: "/a", action: "read" }, "", "/a", /^command is required: read, /],
  [
    "a prototype",
    JSON.parse('{"path":"/a","command":"read","__proto__":{"x":1}}'),
    "read",
    "/a",
    `unknown argument: __proto__${argumentNames}`,
  ],
  ["an unknown command", { path: "/a", command: "write" }, "write", "/a", `unknown command: write${commands}`],
  [
    "toString for the command",
    { path: "/a", command: "toString" },
    "toString",
    "/a",
    `unknown command: toString${commands}`,
  ],
  [
    "constructor for the command",
    { path: "/a", command: "constructor" },
    "constructor",
    "/a",
    `unknown command: constructor${commands}`,
  ],
  [
    "an endless command",
    { path: "/a", command: long },
    `${"x".repeat(63)}…`,
    "/a",
    `unknown command: ${"x".repeat(63)}…${commands}`,
  ],
  [
    "a path of 10 MB",
    { path: long, command: "read" },
    "read",
    `${"x".repeat(1023)}…`,
    "invalid path: longer than 1024 characters",
  ],
  [
    "1 MB of slashes and names",
    { path: "/a".repeat(500_000), command: "read" },
    "read",
    `${"/a".repeat(511)}/…`,
    "invalid path: more than 32 levels",
  ],
  [
    "a lone surrogate in the path",
    { path: "/\ud800", command: "read" },
    "read",
    "/\ud800",
    "invalid path: not well-formed Unicode (a lone surrogate)",
  ],
  [
    "a lone surrogate in the content",
    { path: "/a", command: "append", content: "\udc00" },
    "append",
    "/a",
    "content is not well-formed Unicode (it holds a lone surrogate)",
  ],
  [
    "NUL in the path",
    { path: "/a\0b", command: "read" },
    "read",
    "/a\0b",
    "invalid path: control characters are not allowed",
  ],
  [
    "a lone surrogate in a name",
    { path: "/a", command: "read", "\ud800": {} },
    "read",
    "/a",
    `unknown argument: \ud800${argumentNames}`,
  ],
  [
    "a tool call inside",
    { type: "tool_call", id: "x", args: { path: "/a", command: "read" } },
    "",
    "",
    "command is required: read, list, append, update, delete",
  ],
  ["endless nesting", { path: deep, command: "read" }, "read", "", "path must be a string (given object)"],
];

/**
 * A program that says this to a tool has called it; LangGraph itself loses the others on the way into an agent's tools.
 */
const notCarried: Record<string, RegExp> = {
  "called directly": /^a tool call inside$/,
  "in createAgent": /^(a prototype|endless nesting)$/,
  "in createAgent with a wrapToolCall middleware": /^(a prototype|endless nesting)$/,
};

/** What no JSON holds, so that only programs can say it. */
const circular: Record<string, unknown> = { path: "/a", command: "read" };
circular["content"] = circular;
const shared = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
const unspeakable: typeof badArguments = [
  ["undefined", undefined, "", "", "the arguments must be an object with path and command"],
  ["a bigint", 1n, "", "", "the arguments must be an object with path and command"],
  ["a function", () => {}, "", "", "the arguments must be an object with path and command"],
  ["a symbol", Symbol("s"), "", "", "the arguments must be an object with path and command"],
  [
    "a bigint for the content",
    { path: "/a", command: "append", content: 1n },
    "append",
    "/a",
    "content must be a string (given bigint)",
  ],
  ["a cycle", circular, "read", "/a", "content must be a string (given object)"],
  [
    "an object in 2 to the 60th places",
    { path: "/a", command: "append", content: shared },
    "append",
    "/a",
    "content must be a string (given object)",
  ],
  ["a date", new Date(0), "", "", /^command is required/],
  [
    "an object without a prototype",
    Object.assign(Object.create(null) as object, { command: "read" }),
    "read",
    "",
    "path is required",
  ],
];

function expectRefusal({ text, status }: Answered, [, , command, path, message]: (typeof badArguments)[number]): void {
  const envelope = JSON.parse(text) as { error: { message: string } };
  expect(Object.entries(envelope)).toEqual([
    ["command", command],
    ["path", path],
    ["ok", false],
    ["error", { message: typeof message === "string" ? message : expect.stringMatching(message), code: "EINVAL" }],
  ]);
  expect(Object.keys(envelope.error)).toEqual(["message", "code"]);
  if (status !== undefined) expect(status).toBe("error");
}

describe.each(Object.entries(ways))("a tool %s", (way, call) => {
  it.each(badArguments.filter(([title]) => notCarried[way]?.test(title) !== true))(
    "answers EINVAL to %s",
    async (...bad) => {
      expectRefusal(await call(freshTool(), bad[1]), bad);
    },
  );

  it("marks what failed and what did not", async () => {
    const tool = freshTool();
    const failed = await call(tool, { path: "/a", command: "read" });
    expect(failed.text).toContain("ENOENT");
    const done = await call(tool, { path: "/a", command: "append", content: "x" });
    expect(done.text).toBe('{"command":"append","path":"/a","ok":true,"result":{"status":"ok"}}');
    if (way !== "called directly") expect([failed.status, done.status]).toEqual(["error", "success"]);
  });

  it("takes null for what is left out", async () => {
    const args = { path: "/", command: "list", content: null, oldContent: null };
    expect((await call(freshTool(), args)).text).toBe(
      '{"command":"list","path":"/","ok":true,"result":{"entries":[]}}',
    );
  });
});

describe("a tool called by a program", () => {
  it.each(unspeakable)("answers EINVAL to %s", async (...bad) => {
    expectRefusal({ text: await freshTool().invoke(bad[1] as never) }, bad);
    expectRefusal(answeredBy(await freshTool().invoke(createCall(bad[1]))), bad);
  });

  it("takes undefined for what is left out", async () => {
    const answer = await freshTool().invoke({ path: "/", command: "list", content: undefined, oldContent: undefined });
    expect(answer).toBe('{"command":"list","path":"/","ok":true,"result":{"entries":[]}}');
  });
});

describe("any arguments", () => {
  const likely = fc.record(
    {
      path: fc.oneof(
        fc.constantFrom("/", "/a", "/a/b", "a//b/", "../x", "$x", "", "__proto__"),
        fc.string({ unit: anyCharacter }),
        fc.jsonValue(),
      ),
      command: fc.oneof(fc.constantFrom("read", "list", "append", "update", "delete", "valueOf"), fc.jsonValue()),
      content: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()),
      oldContent: fc.oneof(fc.string(), fc.jsonValue()),
      type: fc.constant("tool_call"),
      constructor: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const codes = ["EINVAL", "ENOENT", "EISDIR", "ENOTDIR"];

  it("get an envelope in order, the same whether called plainly or by a ToolCall", async () => {
    const property = fc.asyncProperty(fc.array(fc.oneof(likely, fc.jsonValue()), { maxLength: 8 }), async (all) => {
      const [plain, called] = [freshTool(), freshTool()];
      for (const args of all) {
        const isCall = typeof args === "object" && args !== null && "type" in args;
        const text = isCall ? undefined : await plain.invoke(args as never);
        const answered = answeredBy(await called.invoke(createCall(args)));
        if (isCall) expect(answered.text).toContain('"code":"EINVAL"');
        else expect(answered.text).toBe(text);
        const envelope = JSON.parse(answered.text) as { ok: boolean; error?: { code: string } };
        expect(Object.keys(envelope)).toEqual(["command", "path", "ok", envelope.ok ? "result" : "error"]);
        expect(answered.status).toBe(envelope.ok ? "success" : "error");
        if (envelope.error) expect(codes).toContain(envelope.error.code);
        expect(answered.text).not.toMatch(/node_modules|\.[jt]s:\d|at \w+ \(/);
      }
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 100, long: 300 }) });
  });
});
