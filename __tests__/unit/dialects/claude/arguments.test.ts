import { describe, expect, it } from "@jest/globals";
import { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { claudeMemoryHandlers, createClaudeMemoryTool } from "../../../../src/langchain/claude/index.js";
import { MemoryError, type Memory, MemoryNode, openMemory } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import { repetitions } from "../../../helpers/repetitions.js";

const store = new InMemoryStore();
const freshMemory = (): Memory => openMemory(store, freshAddress());
const createCall = (args: unknown) => ({
  type: "tool_call" as const,
  id: "call-1",
  name: "memory",
  args: args as never,
});
const parameters =
  ". The parameters are command, path, view_range, file_text, old_str, new_str, insert_line, insert_text, old_path, new_path";
const required = "it is required and must be a string";

const commands = ". The commands are view, create, str_replace, insert, delete, rename";

const bad: [title: string, args: unknown, answer: string][] = [
  ["null", null, "Error: The arguments must be an object with a command"],
  ["a string", "view", "Error: The arguments must be an object with a command"],
  ["an array", ["view"], "Error: The arguments must be an object with a command"],
  ["undefined", undefined, "Error: The arguments must be an object with a command"],
  ["a bigint", 1n, "Error: The arguments must be an object with a command"],
  [
    "no command",
    {},
    "Error: Invalid `command` parameter: it is required and must be one of view, create, str_replace, insert, delete, rename",
  ],
  ["another command", { command: "read", path: "/memories" }, `Error: Unknown command: read${commands}`],
  ["toString", { command: "toString", path: "/memories" }, `Error: Unknown command: toString${commands}`],
  ["constructor", { command: "constructor", path: "/memories" }, `Error: Unknown command: constructor${commands}`],
  [
    "operators for the command",
    { command: { $ne: 1 }, path: "/memories" },
    `Error: Unknown command: object${commands}`,
  ],
  ["no path", { command: "view" }, `Error: Invalid \`path\` parameter: ${required}`],
  ["null for the path", { command: "delete", path: null }, `Error: Invalid \`path\` parameter: ${required}`],
  [
    "operators for the path",
    { command: "delete", path: { $ne: 1 } },
    "Error: Invalid `path` parameter: it must be a string",
  ],
  ["no file_text", { command: "create", path: "/memories/a" }, `Error: Invalid \`file_text\` parameter: ${required}`],
  [
    "content beside file_text",
    { command: "create", path: "/memories/a", file_text: "x", content: "x" },
    "Error: Invalid `content` parameter: it is another name for file_text; give one of the two",
  ],
  [
    "a number for content",
    { command: "create", path: "/memories/a", content: 1 },
    "Error: Invalid `content` parameter: it must be a string",
  ],
  [
    "a number for file_text",
    { command: "create", path: "/memories/a", file_text: 1 },
    "Error: Invalid `file_text` parameter: it must be a string",
  ],
  [
    "a lone surrogate",
    { command: "create", path: "/memories/a", file_text: "\ud800" },
    "Error: Invalid `file_text` parameter: it is not well-formed Unicode (it holds a lone surrogate)",
  ],
  [
    "half a character",
    { command: "str_replace", path: "/memories/f", old_str: "\ud83e", new_str: "" },
    "Error: Invalid `old_str` parameter: it is not well-formed Unicode (it holds a lone surrogate)",
  ],
  [
    "no old_str",
    { command: "str_replace", path: "/memories/f", new_str: "x" },
    `Error: Invalid \`old_str\` parameter: ${required}`,
  ],
  [
    "a misspelt new_str",
    { command: "str_replace", path: "/memories/f", old_str: "🧠", new_string: "x" },
    `Error: Unknown parameter: new_string${parameters}`,
  ],
  [
    "a number for new_str",
    { command: "str_replace", path: "/memories/f", old_str: "🧠", new_str: 1 },
    "Error: Invalid `new_str` parameter: it must be a string",
  ],
  [
    "no insert_text",
    { command: "insert", path: "/memories/f", insert_line: 0 },
    `Error: Invalid \`insert_text\` parameter: ${required}`,
  ],
  ["no old_path", { command: "rename", new_path: "/memories/g" }, `Error: Invalid \`old_path\` parameter: ${required}`],
  [
    "no new_path",
    { command: "rename", old_path: "/memories/f", path: "/memories/g" },
    `Error: Invalid \`new_path\` parameter: ${required}`,
  ],
  [
    "a command of another tool, with its arguments",
    { command: "read", path: "/memories/f", fromLine: 1 },
    "Error: Unknown command: read. The commands are view, create, str_replace, insert, delete, rename",
  ],
  [
    "an unknown parameter without a command",
    { action: "view", path: "/memories/f" },
    "Error: Invalid `command` parameter: it is required and must be one of view, create, str_replace, insert, delete, rename",
  ],
  [
    "a prototype",
    JSON.parse('{"command":"view","path":"/memories","__proto__":{}}'),
    `Error: Unknown parameter: __proto__${parameters}`,
  ],
];

describe("arguments of any shape", () => {
  it.each(bad)("are answered, never thrown, and change nothing: %s", async (_title, args, answer) => {
    const memory = freshMemory();
    await memory.write("/f", "🧠");
    const tool = createClaudeMemoryTool(memory);
    expect(await tool.invoke(args as never)).toBe(answer);
    const message: unknown = await tool.invoke(createCall(args));
    expect(message).toMatchObject({ content: answer, status: "error", tool_call_id: "call-1", name: "memory" });
    expect(await memory.read("/f")).toBe("🧠");
    expect(await memory.list()).toHaveLength(1);
  });

  it("may have content for file_text, which creates the file", async () => {
    const memory = freshMemory();
    const call = { command: "create", path: "/memories/a.txt", content: "x" } as const;
    expect(await createClaudeMemoryTool(memory).invoke(call)).toBe("File created successfully at: /memories/a.txt");
    await claudeMemoryHandlers(memory).create({ ...call, path: "/memories/b.txt" });
    expect([await memory.read("/a.txt"), await memory.read("/b.txt")]).toEqual(["x", "x"]);
  });

  it("are answered without a trace", async () => {
    const args = fc.record(
      {
        command: fc.oneof(
          fc.constantFrom("view", "create", "str_replace", "insert", "delete", "rename", "valueOf"),
          fc.jsonValue(),
        ),
        path: fc.oneof(
          fc.constantFrom("/memories", "/memories/a", "/memories/a/b"),
          fc.string({ unit: anyCharacter }),
          fc.jsonValue(),
        ),
        view_range: fc.oneof(fc.tuple(fc.integer(), fc.integer()), fc.jsonValue()),
        file_text: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()),
        old_str: fc.oneof(fc.string(), fc.jsonValue()),
        new_str: fc.oneof(fc.string(), fc.jsonValue()),
        insert_line: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
        insert_text: fc.oneof(fc.string(), fc.jsonValue()),
        old_path: fc.oneof(fc.constantFrom("/memories/a", "/memories"), fc.jsonValue()),
        new_path: fc.oneof(fc.constantFrom("/memories/c", "/memories"), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const property = fc.asyncProperty(fc.array(fc.oneof(args, fc.jsonValue()), { maxLength: 8 }), async (all) => {
      const tool = createClaudeMemoryTool(freshMemory());
      for (const each of all) {
        const message: unknown = await tool.invoke(createCall(each));
        if (!ToolMessage.isInstance(message)) throw new Error("not a ToolMessage");
        const succeeded = /^(File created|The (memory )?file|Successfully|Here're|Here's)/;
        const refused = /^(Error: [^E]|No replacement|The path|Error: E(FBIG|INVAL|NOTDIR))/;
        expect(message.text).toMatch(message.status === "success" ? succeeded : refused);
        expect(message.text).not.toMatch(/\/node_modules\/|\.[jt]s:\d|at \w+ \(|undefined/);
        expect(message.text.isWellFormed()).toBe(true);
      }
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 100, long: 300 }) });
  });

  it("of other commands do no harm, and null is what is left out", async () => {
    const tool = createClaudeMemoryTool(freshMemory());
    const others = { view_range: null, new_str: null, insert_line: 0, insert_text: "", old_path: "", new_path: "" };
    const answer = await tool.invoke({ command: "create", path: "/memories/a", file_text: "x", ...others } as never);
    expect(answer).toBe("File created successfully at: /memories/a");
  });
});

const secret = "mongodb://admin:hunter2@db.internal:27017/app";

class FailingStore extends InMemoryStore {
  override async batch(): Promise<never> {
    throw new Error(secret);
  }
}

describe("a memory that fails", () => {
  const view = { command: "view", path: "/memories/a" } as const;

  it("is told as an error, without the storage's own words", async () => {
    const memory = openMemory(new FailingStore(), freshAddress());
    const answer = await createClaudeMemoryTool(memory).invoke(view);
    expect(answer).toBe("Error: EIO: the store failed to read");
    const failure: unknown = await claudeMemoryHandlers(memory)
      .view(view)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "EIO", message: "EIO: the store failed to read" });
    expect(MemoryError.isInstance(failure)).toBe(true);
  });

  it("or is none, or lacks its thread, is told too", async () => {
    const broken = (): Memory => {
      throw new Error(secret);
    };
    for (const source of [broken, (): Memory => ({}) as never, (): Memory => undefined as never]) {
      expect(await createClaudeMemoryTool(source).invoke(view)).toBe("Error: EIO: the memory could not be opened");
    }
    const perThread = createClaudeMemoryTool(new MemoryNode({ ...freshAddress(), store, scope: "perThread" }));
    expect(await perThread.invoke(view)).toBe("Error: thread_id is required for perThread scope");
    const run = { configurable: { thread_id: "ada" } };
    expect(await perThread.invoke({ command: "create", path: "/memories/a", file_text: "x" }, run)).toMatch(
      /^File created/,
    );
    expect(await perThread.invoke(view, run)).toMatch(/1\tx$/);
  });

  it("or no memory at all is a TypeError of the program", () => {
    for (const none of [undefined, null, {}, "memory"]) {
      expect(() => createClaudeMemoryTool(none as never)).toThrow(TypeError);
      expect(() => claudeMemoryHandlers(none as never)).toThrow(TypeError);
    }
    expect(() => claudeMemoryHandlers((() => freshMemory()) as never)).toThrow(TypeError);
  });
});

describe("the handlers", () => {
  it("are the six commands and nothing that JavaScript adds", () => {
    const handlers = claudeMemoryHandlers(freshMemory()) as unknown as Record<string, unknown>;
    expect(Object.keys(handlers)).toEqual(["view", "create", "str_replace", "insert", "delete", "rename"]);
    for (const name of ["toString", "constructor", "valueOf", "__proto__"]) expect(handlers[name]).toBeUndefined();
  });

  it("give each refusal its code", async () => {
    const memory = freshMemory();
    await memory.write("/f", "a a");
    const handlers = claudeMemoryHandlers(memory);
    const path = "/memories/f";
    await expect(handlers.create({ command: "create", path, file_text: "" })).rejects.toMatchObject({ code: "EEXIST" });
    await expect(handlers.view({ command: "view", path: "/memories/x" })).rejects.toMatchObject({ code: "ENOENT" });
    await expect(handlers.str_replace({ command: "str_replace", path, old_str: "a" })).rejects.toMatchObject({
      code: "EINVAL",
    });
  });
});

describe("what a model is told", () => {
  it("is Anthropic's own tool by its type, to whoever asks for it, and a flat schema", async () => {
    const tool = createClaudeMemoryTool(freshMemory());
    expect([tool.name, tool.extras]).toEqual([
      "memory",
      { providerToolDefinition: { type: "memory_20250818", name: "memory" } },
    ]);
    const description: unknown = expect.any(String);
    const optional = (value: object): object => ({ anyOf: [{ ...value, description }, { type: "null" }] });
    const text = optional({ type: "string" });
    const properties = {
      command: {
        type: "string",
        enum: ["view", "create", "str_replace", "insert", "delete", "rename"],
        description,
      },
      path: text,
      view_range: optional({ type: "array", items: { type: "integer" } }),
      file_text: text,
      old_str: text,
      new_str: text,
      insert_line: optional({ type: "integer" }),
      insert_text: text,
      old_path: text,
      new_path: text,
    };
    const names = Object.keys(properties);
    expect(tool.schema).toEqual({ type: "object", properties, required: names, additionalProperties: false });
    for (const name of names.slice(1)) expect(tool.description).toContain(name);
  });

  it("names the root and whether create replaces", () => {
    const tool = createClaudeMemoryTool(freshMemory(), { root: "/notes", ifExists: "replace" });
    expect(tool.description).toMatch(/under \/notes [\s\S]*or its new text where it exists/);
    expect(createClaudeMemoryTool(freshMemory()).description).not.toContain("where it exists");
  });
});
