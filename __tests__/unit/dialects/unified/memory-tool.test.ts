import type { ToolCall } from "@langchain/core/messages/tool";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type MemoryRun, MemoryNode, type Memory, openMemory, MemoryTool } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";

type MemoryToolArguments = Exclude<Parameters<MemoryTool["invoke"]>[0], ToolCall>;

const store = new InMemoryStore();

function freshMemory(options?: Parameters<typeof openMemory>[2]): Memory {
  return openMemory(store, freshAddress(), options);
}

/** What the tool says on a memory, as the model reads it. */
function toolOn(memory: Memory): (args: Record<string, unknown>) => Promise<string> {
  const tool = new MemoryTool({ memory });
  return (args) => tool.invoke(args as unknown as MemoryToolArguments);
}

function refusal(command: string, path: string, message: string, code: string): string {
  return JSON.stringify({ command, path, ok: false, error: { message, code } });
}

describe("the examples of the memory server", () => {
  it("are answered to the letter", async () => {
    const call = toolOn(freshMemory());
    expect(await call({ path: "/missing", command: "read" })).toBe(
      '{"command":"read","path":"/missing","ok":false,"error":{"message":"ENOENT: file not found","code":"ENOENT"}}',
    );
    expect(await call({ path: "/notes/x", command: "append" })).toBe(
      '{"command":"append","path":"/notes/x","ok":false,"error":{"message":"content is required for append","code":"EINVAL"}}',
    );
    expect(await call({ path: "/notes/today", command: "append", content: "hello" })).toBe(
      '{"command":"append","path":"/notes/today","ok":true,"result":{"status":"ok"}}',
    );
    expect(await call({ path: "", command: "list" })).toBe(
      '{"command":"list","path":"/","ok":true,"result":{"entries":[{"name":"notes","kind":"dir"}]}}',
    );
    expect(await call({ path: "/notes/today", command: "update", oldContent: "hello", content: "hi" })).toBe(
      '{"command":"update","path":"/notes/today","ok":true,"result":{"replaced":1}}',
    );
    expect(await call({ path: "/notes", command: "delete" })).toBe(
      '{"command":"delete","path":"/notes","ok":true,"result":{"files":1,"dirs":1}}',
    );
    await call({ path: "/notes/today", command: "append", content: "..." });
    expect(await call({ path: "/notes/today", command: "read" })).toBe(
      '{"command":"read","path":"/notes/today","ok":true,"result":{"content":"..."}}',
    );
  });
});

const commands = "; the commands are read, list, append, update, delete";

describe("the messages", () => {
  const tree = async (): Promise<ReturnType<typeof toolOn>> => {
    const memory = freshMemory({ paths: "plain", maxFileBytes: 10 });
    await memory.append("/dir/file", "text");
    return toolOn(memory);
  };

  it.each([
    ["read", "/dir/none", {}, "ENOENT: file not found", "ENOENT"],
    ["update", "/dir/none", { oldContent: "a", content: "b" }, "ENOENT: file not found", "ENOENT"],
    ["list", "/none", {}, "ENOENT: directory not found", "ENOENT"],
    ["list", "/dir/file", {}, "ENOTDIR: path is a file", "ENOTDIR"],
    ["read", "/dir", {}, "EISDIR: path is a directory", "EISDIR"],
    ["append", "/dir", { content: "a" }, "EISDIR: path is a directory", "EISDIR"],
    ["update", "/dir", { oldContent: "a", content: "b" }, "EISDIR: path is a directory", "EISDIR"],
    ["append", "/dir/file/below", { content: "a" }, "ENOTDIR: a parent of the path is a file", "ENOTDIR"],
    ["append", "/dir/file", {}, "content is required for append", "EINVAL"],
    ["append", "/dir/file", { oldContent: "a" }, "content is required for append", "EINVAL"],
    ["update", "/dir/file", { content: "b" }, "oldContent and content are required for update", "EINVAL"],
    ["update", "/dir/file", { oldContent: "a" }, "oldContent and content are required for update", "EINVAL"],
    ["update", "/dir/file", { oldContent: "", content: "b" }, "oldContent must not be empty", "EINVAL"],
    ["frobnicate", "/dir/file", {}, `unknown command: frobnicate${commands}`, "EINVAL"],
    ["toString", "/dir/file", {}, `unknown command: toString${commands}`, "EINVAL"],
    ["constructor", "/dir/file", {}, `unknown command: constructor${commands}`, "EINVAL"],
    ["__proto__", "/dir/file", {}, `unknown command: __proto__${commands}`, "EINVAL"],
    ["READ", "/dir/file", {}, `unknown command: READ${commands}`, "EINVAL"],
    ["", "/dir/file", {}, `unknown command: ${commands}`, "EINVAL"],
    ["read", "", {}, "path is required", "EINVAL"],
    ["append", "", { content: "a" }, "path is required", "EINVAL"],
    ["delete", "", {}, "path is required", "EINVAL"],
    ["read", "/a/../b", {}, 'invalid path: ".." not allowed', "EINVAL"],
    ["append", "/a..b", { content: "a" }, 'invalid path: ".." not allowed', "EINVAL"],
    ["append", "/$set", { content: "a" }, 'invalid path: "$" not allowed', "EINVAL"],
    [
      "append",
      "/a /b",
      { content: "a" },
      'invalid path segment: "a " (a name does not begin or end with a blank)',
      "EINVAL",
    ],
    [
      "append",
      "/ a",
      { content: "a" },
      'invalid path segment: " a" (a name does not begin or end with a blank)',
      "EINVAL",
    ],
    [
      "append",
      "/a/b.txt",
      { content: "a" },
      'invalid path segment: b.txt (names are letters A-Z, a-z, digits, "_", "-" and spaces; the program can allow other names by paths: "posix")',
      "EINVAL",
    ],
    [
      "read",
      "/none.txt",
      {},
      'invalid path segment: none.txt (names are letters A-Z, a-z, digits, "_", "-" and spaces; the program can allow other names by paths: "posix")',
      "EINVAL",
    ],
    [
      "append",
      "/dir/file",
      { content: "0123456" },
      "EFBIG: the file would be 12 bytes, over its limit of 10 bytes; split it into several files",
      "EFBIG",
    ],
  ])("%s %j %j is refused with: %s", async (command, path, rest, message, code) => {
    const call = await tree();
    expect(await call({ path, command, ...rest })).toBe(refusal(command, path, message, code));
    expect(await call({ path: "/dir/file", command: "read" })).toContain('"content":"text"');
  });

  it("repeat the path normalised", async () => {
    const call = toolOn(freshMemory());
    for (const given of ["a/b", "\\a\\b", "//a///b/", "/a/b"]) {
      expect(await call({ path: given, command: "append", content: "x" })).toMatch(
        /^{"command":"append","path":"\/a\/b",/,
      );
    }
  });

  it("say what a delete that finds nothing did, and leave the root", async () => {
    const call = toolOn(freshMemory());
    expect(await call({ path: "/none", command: "delete" })).toBe(
      '{"command":"delete","path":"/none","ok":true,"result":{"files":0,"dirs":0}}',
    );
    await call({ path: "/a/b", command: "append", content: "x" });
    expect(await call({ path: "/", command: "delete" })).toContain('"result":{"files":1,"dirs":1}');
    expect(await call({ path: "/", command: "list" })).toContain('"entries":[]');
  });
});

describe("what the model is told of the tool", () => {
  it("is one flat strict schema", () => {
    const schema = new MemoryTool().schema;
    expect(schema).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: expect.any(String) },
        command: {
          type: "string",
          enum: ["read", "list", "append", "update", "delete"],
          description: expect.any(String),
        },
        content: { anyOf: [{ type: "string", description: expect.any(String) }, { type: "null" }] },
        oldContent: { anyOf: [{ type: "string", description: expect.any(String) }, { type: "null" }] },
        fromLine: { anyOf: [{ type: "integer", description: expect.any(String) }, { type: "null" }] },
      },
      required: ["path", "command", "content", "oldContent", "fromLine"],
      additionalProperties: false,
    });
    expect(convertToOpenAITool(new MemoryTool()).function).toEqual({
      name: "memory",
      description: expect.stringContaining("long-term memory"),
      parameters: schema,
    });
  });

  it("is what the options say", async () => {
    const options = { name: "notes", description: "Notes of the team.", title: "Team notes" };
    const tool = new MemoryTool(options);
    expect([tool.name, tool.description, tool.title, tool.metadata]).toEqual([
      "notes",
      "Notes of the team.",
      "Team notes",
      { title: "Team notes" },
    ]);
    for (const args of [{ path: "/a", command: "read" }, { path: "/a" }]) {
      const message = await tool.invoke({ type: "tool_call", id: "1", name: "notes", args });
      expect(message).toMatchObject({ name: "notes", metadata: { title: "Team notes" }, status: "error" });
    }
  });

  it("is only the commands allowed; others are refused by name", async () => {
    const memory = freshMemory();
    await memory.append("/a", "x");
    const tool = new MemoryTool({ memory, commands: ["read", "list"] });
    expect(tool.schema.properties).toEqual({
      path: { type: "string", description: expect.any(String) },
      command: { type: "string", enum: ["read", "list"], description: expect.any(String) },
      fromLine: { anyOf: [{ type: "integer", description: expect.any(String) }, { type: "null" }] },
    });
    expect(tool.description).toContain("- read:");
    expect(tool.description).not.toMatch(/append|update|delete/);
    const message = (command: string) => `EACCES: ${command} is not allowed on this tool; allowed: read, list`;
    for (const command of ["append", "update", "delete"] as const) {
      expect(await tool.invoke({ path: "/a", command, content: "y", oldContent: "x" })).toBe(
        refusal(command, "/a", message(command), "EACCES"),
      );
    }
    expect(await tool.invoke({ path: "/a", command: "read" })).toContain('"content":"x"');
    const answer = await new MemoryTool({ memory }).invoke({ path: "/a", command: "search", query: "x" });
    expect(answer).toContain("EACCES: search is not allowed on this tool; allowed: read, list, append, update, delete");
  });

  it.each([
    [{ name: "two words" }, "name"],
    [{ name: "" }, "name"],
    [{ commands: [] }, "commands"],
    [{ commands: ["write"] }, "commands"],
    [{ memory: "notes" }, "the memory of a tool must be"],
    [{ memory: {} }, "the memory of a tool must be"],
    [{ memroy: 1 }, "memroy"],
  ])("cannot be made of the options %j", (options, named) => {
    expect(() => new MemoryTool(options as never)).toThrow(TypeError);
    expect(() => new MemoryTool(options as never)).toThrow(named);
  });
});

describe("the types of a call", () => {
  it("are those of the schema, and so are those of the tools of a node", async () => {
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
    const read = { path: "/a", command: "read" } as const;
    expect(await tool.invoke(read)).toBe(
      refusal(
        "read",
        "/a",
        "ENOTMEM: no memory connected; pass `memory` to the tool or call setMemorySource",
        "ENOTMEM",
      ),
    );
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
    const answer = await new MemoryTool({ memory: new MemoryNode({ nodeId }) }).invoke({ path: "/a", command: "read" });
    expect(JSON.parse(answer)).toMatchObject({ ok: false, error: { code: "ENOTMEM" } });
    const node = new MemoryNode({ nodeId, store });
    await node.memory().append("/a", "of the node");
    expect(await new MemoryTool({ memory: node }).invoke({ path: "/a", command: "read" })).toContain("of the node");
  });

  it("may be a function of the run, which may be asynchronous", async () => {
    const runs: MemoryRun[] = [];
    const memory = freshMemory();
    const tool = new MemoryTool({
      memory: async (run) => {
        runs.push(run);
        await Promise.resolve();
        return memory;
      },
    });
    const configurable = { thread_id: "thread 1", user_id: "ada", colour: "red" };
    const call = { name: "memory", args: { path: "/", command: "list" }, id: "call 1", type: "tool_call" } as const;
    await tool.invoke(call, { configurable, context: { tenant: "acme" } } as RunnableConfig);
    await tool.invoke({ path: "/", command: "list" });
    expect(runs).toEqual([
      {
        threadId: "thread 1",
        userId: "ada",
        toolCallId: "call 1",
        context: { tenant: "acme" },
        config: expect.objectContaining({ configurable }),
      },
      { config: expect.any(Object) },
    ]);
  });

  it.each([
    ["plain", ' such as "/notes/today"; names are letters A-Z, a-z, digits, "_", "-" and spaces.'],
    ["posix", ' such as "/notes/today"; names are any Unicode in NFC, such as "notes.txt".'],
  ] as const)("tells the model the rule of names of its memory: %s", (paths, told) => {
    const address = freshAddress();
    const tool = new MemoryTool();
    expect(tool.description).toContain(' such as "/notes/today".\n');
    tool.setMemorySource(openMemory(store, address, { paths }));
    expect([
      tool.description,
      ...new MemoryNode({ ...address, paths }).memoryTools.map(({ description }) => description),
    ]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
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
      for (const args of [
        { path: "/a", command: "append", content: "x" },
        { path: "/a", command: "read" },
      ] as const) {
        expect(await tool.invoke(args, { configurable })).toBe(
          refusal(args.command, "/a", `thread_id is required for perThread scope${given}`, "EINVAL"),
        );
      }
    },
  );

  it("of scope perThread never reads or changes the global memory", async () => {
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    await node.globalMemory().append("/shared", "for all");
    const call = (args: MemoryToolArguments) =>
      new MemoryTool({ memory: node }).invoke(args, { configurable: { thread_id: "1" } });
    expect(await call({ path: "/", command: "list" })).toContain('"entries":[]');
    expect(await call({ path: "/shared", command: "read" })).toContain("ENOENT");
    expect(await call({ path: "/shared", command: "update", oldContent: "all", content: "one" })).toContain("ENOENT");
    expect(await call({ path: "/", command: "delete" })).toContain('{"files":0,"dirs":0}');
    await call({ path: "/shared", command: "append", content: "of the thread" });
    expect(await node.globalMemory().read("/shared")).toBe("for all");
    expect(await node.memory("1").read("/shared")).toBe("of the thread");
  });

  it("of scope perThread takes the thread from the run, and never from the arguments", async () => {
    const tool = new MemoryTool({ memory: new MemoryNode({ ...freshAddress(), store, scope: "perThread" }) });
    const inThread = (thread_id: string) => ({ configurable: { thread_id } });
    await tool.invoke({ path: "/a", command: "append", content: "secret" }, inThread("1"));
    expect(await tool.invoke({ path: "/a", command: "read" }, inThread("1"))).toContain("secret");
    expect(await tool.invoke({ path: "/a", command: "read" }, inThread("2"))).toContain("ENOENT");
    const sly = { path: "/a", command: "read", threadId: "1", thread_id: "1", nodeId: "x", scope: "global" } as const;
    expect(await tool.invoke(sly, inThread("2"))).toContain("unknown argument: threadId");
  });
});
