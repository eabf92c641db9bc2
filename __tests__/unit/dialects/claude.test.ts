import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MemoryError, type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { claudeMemoryHandlers, createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { FailingStore } from "../../helpers/failing-store.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { editByModel } from "../../helpers/line-end-model.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const path = "/memories/f";

/** Claude's memory tool on a memory with one file. */
async function openWith(text: string, memory: Memory = openMemory(store, freshAddress())) {
  await memory.write("/f", text);
  const tool = createClaudeMemoryTool(memory);
  return {
    memory,
    call: (args: Record<string, unknown>): Promise<string> => tool.invoke({ path, ...args }),
    text: () => memory.read("/f"),
  };
}

/** Every command with the path in each place where a path is expected. */
const everywhere = (given: string): Record<string, unknown>[] => [
  { command: "view", path: given },
  { command: "view", path: given, view_range: [1, -1] },
  { command: "create", path: given, file_text: "x" },
  { command: "str_replace", path: given, old_str: "text", new_str: "x" },
  { command: "insert", path: given, insert_line: 0, insert_text: "x" },
  { command: "delete", path: given },
  { command: "rename", old_path: given, new_path: "/memories/new" },
  { command: "rename", old_path: path, new_path: given },
];

const climbs = 'invalid path: ".." not allowed';
const controls = "invalid path: control characters are not allowed";
const standsStill = 'invalid path segment: . (paths are absolute; no name is ".")';

describe("a path that is refused by every command", () => {
  it.each([
    ["/memories/..", climbs],
    ["/memories/../x", climbs],
    ["/memories/../../../etc/passwd", climbs],
    ["/memories/../memories_backup/secret.txt", climbs],
    ["/memories/../memories/f", climbs],
    ["/memories/a/../f", climbs],
    ["/memories/%2e%2e/%2e%2e/etc/passwd", climbs],
    ["/memories/%2e%2e%2fsecret", climbs],
    ["/memories/..%2f..%2fx", climbs],
    ["/memories/%252e%252e/x", climbs],
    ["/memories/%252e%252e%252fx", climbs],
    ["/memories/%25252e%25252e%25252fx", climbs],
    ["/memories/%c0%ae%c0%ae/x", climbs],
    ["/memories/..\\..\\w", climbs],
    ["/memories\\..\\w", climbs],
    ["\\memories\\..\\w", climbs],
    ["/memories/..%5cw", climbs],
    ["/memories/．．/x", climbs],
    ["/memories/\u2024\u2024/x", climbs],
    ["/memories/‥/x", climbs],
    ["/memories/%ef%bc%8e%ef%bc%8e/x", climbs],
    ["/memories/f\0", controls],
    ["/memories/\0", controls],
    ["/memories/a\nb", controls],
    ["/memories/\u0007", controls],
    ["/memories/x\u007f", controls],
    ["/memories/.", standsStill],
    ["/memories/./f", standsStill],
    ["/memories/a/.", standsStill],
    ["/memories/%00", /^Error: invalid path/],
    [`/memories/${"x".repeat(256)}`, "invalid path: a segment longer than 255 characters"],
    [`/memories${"/d".repeat(33)}`, "invalid path: more than 32 levels"],
    ["/memories/\ud800", /^Error: Invalid `\w+` parameter: it is not well-formed Unicode/],
  ])("%j", async (given, reason) => {
    const { memory, call } = await openWith("text");
    for (const args of everywhere(given)) {
      if (typeof reason === "string") expect(await call(args)).toBe(`Error: ${reason}`);
      else expect(await call(args)).toMatch(reason);
    }
    expect(await memory.snapshot()).toMatchObject({ files: [{ path: "/f", content: "text" }], directories: [] });
  });

  it.each([
    "/memoriesfoo",
    "/memoriesfoo.txt",
    "/memories_evil/x",
    "/memories../x",
    "/memories%2f..%2fx",
    "/Memories/x",
    " /memories/x",
    "/etc/passwd",
    "/",
    "",
    "..",
    "/../memories/x",
    "/./memories/x",
    "/%6demories/x",
    "file:///memories/x",
    "~/memories",
    "C:\\memories\\x",
    "/memories\0/x",
  ])("because it does not begin with the root: %j", async (given) => {
    const { memory, call } = await openWith("text");
    for (const args of everywhere(given))
      expect(await call(args)).toBe(`Error: Path must start with /memories, got: ${given.replace("\0", "\\u0000")}`);
    expect(await memory.snapshot()).toMatchObject({ files: [{ path: "/f", content: "text" }], directories: [] });
  });

  it("is repeated only as far as it is short", async () => {
    const answer = await (await openWith("")).call({ command: "view", path: `/${"x".repeat(10_000_000)}` });
    expect(answer).toHaveLength("Error: Path must start with /memories, got: ".length + 500);
  });
});

describe("str_replace under a guard", () => {
  it.each([
    ["the new text", "a", "the key is secret", "2 \tx\n3 \tthe key is [key]\n4 \ty"],
    ["another line too", "secret", "b", "1 \t[key]\n2 \tx\n3 \tb\n4 \ty"],
    ["nothing", "a", "c", "1 \ta\n2 \tx\n3 \tc\n4 \ty"],
  ])("that changes %s shows what was stored", async (_title, first, new_str, shown) => {
    const address = freshAddress();
    const guard = ({ content }: { content: string }): string => content.replaceAll("secret", "[key]");
    await openMemory(store, address).write("/f", `${first}\nx\nold\ny\n`);
    const answer = await createClaudeMemoryTool(new MemoryNode({ ...address, store, guard })).invoke({
      command: "str_replace",
      path,
      old_str: "old",
      new_str,
    });
    expect(answer.replaceAll(/^ *(\d)\t/gm, "$1 \t")).toContain(shown);
    expect(answer).not.toContain("secret");
  });
});

/** The lines of a text, each with its newline where it has one. */
const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];
/** Without the brackets in which special tokens begin, which a view shows as escapes. */
const plainTexts = fc.string().map((text) => text.replaceAll(/[<[]/g, "("));
const texts = fc
  .array(fc.oneof(fc.constantFrom("\n", "\n\n", "a", "b", "\r\n", "🧠", "$&"), plainTexts), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("any text", () => {
  it("is shown whole, each line once and by its number", async () => {
    const property = fc.asyncProperty(texts, fc.nat(12), fc.nat(12), async (before, start, length) => {
      const { call } = await openWith(before);
      const shown = (await call({ command: "view" })).split("\n").slice(1);
      const lines = linesWithEnds(before).map((line) => line.replace(/\n$/, ""));
      expect(shown).toEqual(lines.map((line, index) => `${String(index + 1).padStart(6, " ")}\t${line}`));
      if (start >= lines.length) return;
      const range = await call({ command: "view", view_range: [start + 1, start + 1 + length] });
      expect(range.split("\n").slice(1)).toEqual(shown.slice(start, start + 1 + length));
    });
    await assertProperty(property, { usual: 30, long: 300 });
  });

  it("takes an insert at each of its lines, and at no other", async () => {
    const property = fc.asyncProperty(
      texts,
      fc.integer({ min: -2, max: 14 }),
      texts,
      async (before, line, addition) => {
        const { call, text } = await openWith(before);
        const answer = await call({ command: "insert", insert_line: line, insert_text: addition });
        const { length } = linesWithEnds(before);
        const isThere = line >= 0 && line <= length;
        expect(answer).toContain(isThere ? "has been edited" : `[0, ${length}]`);
        expect(await text()).toBe(
          isThere ? editByModel(before, { type: "insert", after: line, content: addition }) : before,
        );
      },
    );
    await assertProperty(property, { usual: 40, long: 500 });
  });

  it("takes a str_replace where the old text is in it once, and at no other time", async () => {
    const search = fc.string({ unit: fc.constantFrom("a", "b", "\n", "🧠"), minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(texts, search, texts, async (before, old_str, new_str) => {
      const { call, text } = await openWith(before);
      const answer = await call({ command: "str_replace", old_str, new_str });
      const plain = before.replaceAll("\r\n", "\n");
      const at = plain.indexOf(old_str);
      const once = at !== -1 && plain.lastIndexOf(old_str) === at;
      expect(answer).toMatch(once ? /^The memory file has been edited\./ : /^No replacement was performed/);
      expect(await text()).toBe(editByModel(before, { type: "replace", search: old_str, content: new_str }));
    });
    await assertProperty(property, { usual: 40, long: 500 });
  });

  it("of more than 999,999 lines is refused, whatever the range", async () => {
    const { call } = await openWith("\n".repeat(999_999));
    expect(await call({ command: "view", view_range: [999_999, -1] })).toMatch(/:\n999999\t$/);
    await call({ command: "insert", insert_line: 0, insert_text: "" });
    for (const view_range of [undefined, [1, 2]])
      expect(await call({ command: "view", view_range })).toBe(
        "File /memories/f exceeds maximum line limit of 999,999 lines.",
      );
  });
});

describe("the handlers for Anthropic's SDK", () => {
  it("are the six commands and nothing that JavaScript adds", async () => {
    const handlers = claudeMemoryHandlers((await openWith("")).memory) as unknown as Record<string, unknown>;
    expect(Object.keys(handlers)).toEqual(["view", "create", "str_replace", "insert", "delete", "rename"]);
    for (const name of ["toString", "constructor", "valueOf", "__proto__"]) expect(handlers[name]).toBeUndefined();
  });

  it("give each refusal its code, and read what has one meaning, as the tool does", async () => {
    const { memory, text } = await openWith("a a\n");
    const handlers = claudeMemoryHandlers(memory) as unknown as Record<string, (args: object) => Promise<string>>;
    const codeOf = async (args: { command: string; [name: string]: unknown }): Promise<unknown> =>
      handlers[args.command]?.({ path, ...args }).catch((error: MemoryError) => error.code);
    expect(await codeOf({ command: "create", file_text: "" })).toBe("EEXIST");
    expect(await codeOf({ command: "view", path: "/memories/x" })).toBe("ENOENT");
    expect(await codeOf({ command: "str_replace", old_str: "a" })).toBe("EINVAL");
    expect(await codeOf({ command: "delete", path: "/memories" })).toBe("EINVAL");
    await codeOf({ command: "insert", path: "memories/f", insert_line: "1", insert_text: "b" });
    expect([await text(), await codeOf({ command: "view", view_range: "[2, 2]" })]).toEqual([
      "a a\nb\n",
      expect.stringContaining("2\tb"),
    ]);
  });

  it("throw what the storage fails with as a MemoryError, without the storage's own words", async () => {
    const failing = new FailingStore();
    failing.isAway = true;
    const failure: unknown = await claudeMemoryHandlers(openMemory(failing, freshAddress()))
      .view({ command: "view", path })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "EIO", message: "EIO: the store failed to read" });
    expect(MemoryError.isInstance(failure)).toBe(true);
  });
});

describe("what a model is told", () => {
  it("is Anthropic's own tool by its type, to whoever asks for it, and a flat schema", async () => {
    const tool = createClaudeMemoryTool(openMemory(store, freshAddress()));
    expect([tool.name, tool.extras]).toEqual([
      "memory",
      { providerToolDefinition: { type: "memory_20250818", name: "memory" } },
    ]);
    const description: unknown = expect.any(String);
    const optional = (value: object): object => ({ anyOf: [{ ...value, description }, { type: "null" }] });
    const text = optional({ type: "string" });
    const names = ["view", "create", "str_replace", "insert", "delete", "rename"];
    const properties = {
      command: { type: "string", enum: names, description },
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
    const required = Object.keys(properties);
    expect(tool.schema).toEqual({ type: "object", properties, required, additionalProperties: false });
    for (const name of required.slice(1)) expect(tool.description).toContain(name);
  });

  it("names the root and whether create replaces", () => {
    const memory = openMemory(store, freshAddress());
    const tool = createClaudeMemoryTool(memory, { root: "/notes", ifExists: "replace" });
    expect(tool.description).toMatch(/under \/notes [\s\S]*or its new text where it exists/);
    expect(createClaudeMemoryTool(memory).description).not.toContain("where it exists");
  });
});

describe("a mistake of the program is a TypeError", () => {
  const create = [createClaudeMemoryTool, claudeMemoryHandlers] as ((memory: never, options?: never) => unknown)[];

  it.each([
    { root: "memories" },
    { root: "/../x" },
    { root: "" },
    { root: 5 },
    { maxViewChars: 0 },
    { ifExists: "maybe" },
    { other: 1 },
  ])("such as the options %j", (options) => {
    const memory = openMemory(store, freshAddress()) as never;
    for (const each of create) expect(() => each(memory, options as never)).toThrow(/^invalid ClaudeMemoryOptions: /);
    for (const each of create) expect(() => each(memory, options as never)).toThrow(TypeError);
  });

  it.each([undefined, null, {}, "memory"])("such as %j for a memory", (none) => {
    for (const each of create) expect(() => each(none as never)).toThrow(TypeError);
  });
});
