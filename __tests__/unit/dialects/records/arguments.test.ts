import { describe, expect, it } from "@jest/globals";
import { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { parse } from "yaml";
import { type Memory, MemoryNode, openMemory } from "../../../../src/index.js";
import { createRecordTools } from "../../../../src/langchain/records/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import { RecordBench, recordError } from "../../../helpers/record-bench.js";
import { repetitions } from "../../../helpers/repetitions.js";

const codes = [
  "MEMORY_ALREADY_EXISTS",
  "MEMORY_CONTENT_TOO_LARGE",
  "MEMORY_INVALID_ARGUMENT",
  "MEMORY_NOT_FOUND",
  "MEMORY_PATH_INVALID",
  "MEMORY_STORAGE_ERROR",
];
const content = "x";
const deep = Array.from({ length: 33 }, () => "d").join("/");

/** What the message says of a path that no command takes. */
const badPaths: [path: string, what: string][] = [
  ["", "is empty"],
  ["/project/todo", 'is absolute, please use a relative path such as "project/todo"'],
  ["/", 'is absolute, please use a relative path such as "project/todo"'],
  ["..", 'contains ".."'],
  ["a/../b", 'contains ".."'],
  ["a..b", 'contains ".."'],
  ["a//b", "contains an empty segment"],
  ["a/", "contains an empty segment"],
  ["project/*invalid*", "contains illegal characters"],
  ["a\\b", "contains illegal characters"],
  ["./a", 'has a name that begins with "."'],
  ["a/.hidden", 'has a name that begins with "."'],
  ["%2e%2e/a", "contains illegal characters"],
  ["a b", "contains illegal characters"],
  [" a", "contains illegal characters"],
  ["a😀", "contains illegal characters"],
  ["a:b", "contains illegal characters"],
  ["$ne", "contains illegal characters"],
  [deep, "is not allowed (invalid path: more than 32 levels)"],
  ["a".repeat(256), "is longer than 255 characters"],
];

describe("paths", () => {
  it.each(badPaths)("%p is refused by each command", async (path, what) => {
    const bench = new RecordBench();
    const shown = path.length > 255 ? `${path.slice(0, 254)}…` : path;
    const refusal = { status: "error", error_code: "MEMORY_PATH_INVALID", message: `Path "${shown}" ${what}` };
    expect(await bench.call("add_memory", { path, content })).toEqual(refusal);
    expect(await bench.call("replace_memory", { path, content })).toEqual(refusal);
    expect(await bench.call("drop_memory", { path })).toEqual(refusal);
    expect(await bench.files()).toEqual({});
  });

  it.each([["a\nstatus"], ["a\0"], ["\u0085"], ["a\u2028b"], ["\uD800"], ["\u007F"], ["\uFEFFa"]])(
    "%j is refused, and no answer repeats it as it is",
    async (path) => {
      const text = await new RecordBench().text("add_memory", { path, content });
      expect(text).toBe(
        recordError("MEMORY_PATH_INVALID", `Path "${path.replace(/\W/, "\uFFFD")}" contains illegal characters`),
      );
    },
  );

  it.each([
    ["a".repeat(255)],
    ["a".repeat(127).concat("/", "b".repeat(127))],
    ["A-z_0/-/_"],
    ["__proto__"],
    ["constructor"],
    ["2024-01-15"],
    ["notes.txt"],
    ["Zürich/日本語.v1"],
    ["हिन्दी"],
  ])("%p is accepted by each command", async (path) => {
    const bench = new RecordBench();
    for (const name of ["add_memory", "replace_memory"]) {
      expect(await bench.call(name, { path, content })).toMatchObject({ status: "ok", path });
    }
    expect(await bench.files()).toEqual({ [`/${path}`]: content });
    expect(await bench.call("drop_memory", { path })).toMatchObject({ status: "ok", path });
  });

  it.each([["my notes"], [".journal/3f"], ["$ne"], ["a:b"], ["a".repeat(250).concat("/", "b".repeat(250))]])(
    "%p, which others wrote, is replaced and dropped all the same",
    async (path) => {
      const bench = new RecordBench();
      await bench.memory.write(path, "by others");
      expect(await bench.call("add_memory", { path, content })).toMatchObject({ error_code: "MEMORY_PATH_INVALID" });
      expect(await bench.call("replace_memory", { path, content })).toMatchObject({ status: "ok", path });
      expect(await bench.files()).toEqual({ [`/${path}`]: content });
      expect(await bench.call("drop_memory", { path })).toMatchObject({ status: "ok", path });
      expect(await bench.files()).toEqual({});
    },
  );
});

describe("a prefix", () => {
  it("goes before the names of the tools, in their descriptions and answers too", async () => {
    const tools = createRecordTools(openMemory(new InMemoryStore(), freshAddress()), { prefix: "team_" });
    expect(tools.map(({ name }) => name)).toEqual([
      "team_add_memory",
      "team_replace_memory",
      "team_drop_memory",
      "team_clear_memory",
    ]);
    expect(tools.map(({ description }) => description.match(/\w+_memory/g))).toEqual([
      ["team_replace_memory"],
      ["team_add_memory"],
      null,
      null,
    ]);
    const add = async () => (await tools[0]?.invoke({ path: "a", content })) as string;
    await add();
    expect(await add()).toContain("please use team_replace_memory to update");
    expect(await tools[1]?.invoke({ path: "b", content })).toContain("please use team_add_memory to create first");
  });

  it.each(["a b", "é", "x".repeat(51), 1])("is refused as %j", (prefix) => {
    expect(() =>
      createRecordTools(openMemory(new InMemoryStore(), freshAddress()), { prefix: prefix as string }),
    ).toThrow(TypeError);
  });
});

describe("contents", () => {
  it("of 1,000,000 bytes are taken, larger ones refused with their size", async () => {
    const bench = new RecordBench();
    expect(await bench.call("add_memory", { path: "a", content: "é".repeat(500_000) })).toMatchObject({
      content_size: 1_000_000,
    });
    const tooLarge = (size: string): string =>
      recordError("MEMORY_CONTENT_TOO_LARGE", `Content size ${size} exceeds 1MB limit`);
    expect(await bench.text("replace_memory", { path: "a", content: "é".repeat(500_001) })).toBe(tooLarge("1.1MB"));
    expect(await bench.text("add_memory", { path: "b", content: "x".repeat(1_200_000) })).toBe(tooLarge("1.2MB"));
    expect((await bench.memory.stat("/a"))?.sizeBytes).toBe(1_000_000);
  });

  it("over a smaller limit of the memory are refused too", async () => {
    const small = new RecordBench(openMemory(new InMemoryStore(), freshAddress(), { maxFileBytes: 3 }));
    expect(await small.call("add_memory", { path: "a", content: "long" })).toEqual({
      status: "error",
      error_code: "MEMORY_CONTENT_TOO_LARGE",
      message: expect.stringContaining("4 bytes, over its limit of 3 bytes"),
    });
  });
});

describe("arguments of any shape", () => {
  const missing = (name: string): string => `Argument "${name}" is required and must be a string`;
  it.each<[tool: string, args: unknown, message: string]>([
    ["add_memory", { content }, missing("path")],
    ["add_memory", { path: "a" }, missing("content")],
    ["add_memory", { path: "a", content: null }, missing("content")],
    ["add_memory", { path: { $ne: 1 }, content }, missing("path")],
    ["replace_memory", { path: "a", content: 5 }, missing("content")],
    ["drop_memory", { path: ["a"] }, missing("path")],
    ["drop_memory", {}, missing("path")],
    ["drop_memory", { path: "a", content }, 'Unknown argument "content", the arguments are "path"'],
    ["clear_memory", { path: "a" }, 'Unknown argument "path", the arguments are "reason"'],
    ["clear_memory", { all: true }, 'Unknown argument "all", the arguments are "reason"'],
    ["clear_memory", null, "The arguments must be an object"],
    ["clear_memory", [], "The arguments must be an object"],
    ["clear_memory", "project/todo", "The arguments must be an object"],
    ["add_memory", undefined, "The arguments must be an object"],
    ["add_memory", 1n, "The arguments must be an object"],
    [
      "add_memory",
      { path: "a", content: "\uD800" },
      'Argument "content" is not well-formed Unicode (it holds a lone surrogate)',
    ],
    [
      "add_memory",
      JSON.parse('{"path":"a","content":"x","__proto__":{}}'),
      'Unknown argument "__proto__", the arguments are "path", "content"',
    ],
  ])("%s refuses %p and changes nothing", async (name, args, message) => {
    const bench = new RecordBench();
    await bench.memory.write("/kept", "kept");
    expect(await bench.text(name, args)).toBe(recordError("MEMORY_INVALID_ARGUMENT", message));
    expect(await bench.files()).toEqual({ "/kept": "kept" });
  });

  it("are answered by one mapping of known codes, never thrown", async () => {
    const bench = new RecordBench();
    const names = fc.constantFrom("path", "content", "command", "__proto__", "type", "toString");
    const value = fc.oneof(
      fc.anything(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("a", "a/b", "\uD800", "\0", null, undefined),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), fc.dictionary(names, value)), async (given) => {
        for (const { name } of bench.tools) {
          const answer = await bench.call(name, given);
          if (answer.status === "ok") continue;
          expect(Object.keys(answer)).toEqual(["status", "error_code", "message"]);
          expect(codes).toContain(answer.error_code);
          expect(answer.message).not.toMatch(/node_modules|\.[jt]s:\d|at \w+ \(/);
        }
      }),
      { numRuns: repetitions({ usual: 100, long: 300 }) },
    );
  });
});

const secret = "mongodb://admin:hunter2@db.internal:27017/app";
const calls: [string, object][] = [
  ["add_memory", { path: "a", content }],
  ["replace_memory", { path: "a", content }],
  ["drop_memory", { path: "a" }],
  ["clear_memory", {}],
];

class FailingStore extends InMemoryStore {
  override async batch(): Promise<never> {
    throw new Error(secret);
  }
}

describe("what is not the model's fault", () => {
  it.each(calls)("%s tells a failing storage without the storage's words", async (name, args) => {
    const bench = new RecordBench(openMemory(new FailingStore(), freshAddress()));
    const answer = await bench.call(name, args);
    expect(answer).toEqual({
      status: "error",
      error_code: "MEMORY_STORAGE_ERROR",
      message: "EIO: the store failed to read",
    });
  });

  it.each(calls)("%s takes the thread from the run, and says where it is missing", async (name, args) => {
    const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore(), scope: "perThread" });
    const tools = createRecordTools(node);
    await node.memory("other").write("/a", "of another thread");
    await node.memory("t").write("/a", "of this one");
    if (name === "add_memory") await node.memory("t").delete("/a");
    const call = async (config?: object): Promise<unknown> =>
      parse(String(await tools.find((tool) => tool.name === name)?.invoke(args as never, config)));
    expect(await call()).toEqual({
      status: "error",
      error_code: "MEMORY_STORAGE_ERROR",
      message: "thread_id is required for perThread scope",
    });
    expect(await call({ configurable: { thread_id: "t" } })).toMatchObject({ status: "ok" });
    expect(await node.memory("other").read("/a")).toBe("of another thread");
  });

  it("is told where the memory cannot be opened or the clock fails, and then nothing has changed", async () => {
    const refusal = recordError("MEMORY_STORAGE_ERROR", "The memory could not be opened");
    const sources = [
      (): Memory => {
        throw new Error(secret);
      },
      (): Memory => ({}) as never,
      (): Memory => undefined as never,
    ];
    for (const source of sources) {
      for (const [index, tool] of createRecordTools(source).entries())
        expect(await tool.invoke(calls[index]?.[1] ?? {})).toBe(refusal);
    }
    for (const clock of [() => new Date(Number.NaN), () => 5 as never]) {
      const memory = openMemory(new InMemoryStore(), freshAddress());
      await memory.write("/kept", "x");
      for (const [index, tool] of createRecordTools(memory, { clock }).entries())
        expect(await tool.invoke(calls[index]?.[1] ?? {})).toBe(refusal);
      expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/kept"]);
    }
  });

  it("is marked as an error for the model, as every refusal", async () => {
    const [, , drop] = new RecordBench().tools;
    const message: unknown = await drop?.invoke({
      type: "tool_call",
      id: "1",
      name: "drop_memory",
      args: { path: "a" },
    });
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ status: "error", tool_call_id: "1" });
  });
});

describe("createRecordTools", () => {
  it.each([[{ clock: "now" }], [{ root: "/x" }], [5]])("refuses the options %p as a mistake", (options) => {
    expect(() => createRecordTools(openMemory(new InMemoryStore(), freshAddress()), options as object)).toThrow(
      TypeError,
    );
  });

  it("refuses what is no memory as a mistake", () => {
    for (const none of [undefined, null, {}, "memory"])
      expect(() => createRecordTools(none as never)).toThrow(TypeError);
  });
});
