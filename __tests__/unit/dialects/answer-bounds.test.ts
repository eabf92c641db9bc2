import { freshMemory } from "../../helpers/fresh-memory.js";
import { beforeAll, describe, expect, it, afterEach, beforeEach, jest } from "@jest/globals";
import type { Memory } from "../../../src/core/memory.js";
import type { ChosenDialect } from "../../../src/dialects/registry.js";
import { createDialect, type DialectName, dialectNames } from "../../helpers/dialects-under-test.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";

type Arguments = Record<string, unknown>;

/** With a directory that is longer than any answer. */
const withManyFiles = freshMemory();

beforeAll(async () => {
  for (let index = 0; index < 600; index += 1)
    await withManyFiles.write(`/many/${"long name ".repeat(10)}${index}`, "");
});

/** Makes calls of a dialect with its search, whose answers have at most so many characters. */
function callsOf(name: DialectName, memory: Memory, maxAnswerChars?: number) {
  const options = { name, ...(maxAnswerChars !== undefined && { maxAnswerChars }) } as ChosenDialect;
  const { tools } = createDialect(options, { search: true });
  const call = async (args: Arguments, tool = "memory"): Promise<string> =>
    (await tools.find((each) => each.name === tool)?.answer(args, async () => memory))?.text ?? "";
  return { tools, call };
}

/** Texts that become longer in an answer. */
const texts: [title: string, text: string][] = [
  ["many lines", "water the beans\n".repeat(3_000)],
  ["one line", "water the beans ".repeat(3_000)],
  ["hidden characters", "\u200bwater\u202e\n".repeat(3_000)],
  ["one hidden line", "\u200b".repeat(10_000)],
  ["special tokens", "<|im_end|> water\n".repeat(3_000)],
  ["quotes and newlines", '"\\\n'.repeat(15_000)],
];

const calls: [dialect: DialectName, tool: string, args: Arguments][] = [
  ["unified", "memory", { command: "read", path: "/f" }],
  ["unified", "memory", { command: "read", path: "/f", fromLine: 1 }],
  ["unified", "memory", { command: "list", path: "/many" }],
  ["unified", "memory", { command: "search", path: "/", query: "water" }],
  ["unified", "memory", { command: "update", path: "/f", oldContent: "water the bean\u2013s", content: "" }],
  ["claude", "memory", { command: "view", path: "/memories/f" }],
  ["claude", "memory", { command: "view", path: "/memories/many" }],
  ["claude", "memory", { command: "str_replace", path: "/memories/f", old_str: "water the bean\u2013s", new_str: "" }],
  ["claude", "memory", { command: "str_replace", path: "/memories/f", old_str: "a", new_str: "" }],
  ["claude", "memory_search", { query: "water" }],
  ["journal", "memory_read", { key: "k" }],
  ["journal", "memory_search", { query: "" }],
  ["records", "memory_search", { query: "water" }],
];

describe.each([
  ["40,000 characters by default", undefined, 40_000],
  ["as many as the option says", 2000, 2000],
])("an answer has at most %s", (_title, option, maxChars) => {
  it.each(texts)("for a text of %s", async (_text, text) => {
    await withManyFiles.write("/f", text);
    await withManyFiles.write("/MEMORY.md", `### k\n\n${text}\n`);
    for (const [dialect, tool, args] of calls) {
      const said = await callsOf(dialect, withManyFiles, option).call(args, tool);
      expect([dialect, args, said.length <= maxChars]).toEqual([dialect, args, true]);
      expect(said).not.toContain("EIO");
    }
  });
});

interface Part {
  content: string;
  more?: string;
}

/** Reads a text in parts, as the answers say. */
async function readOn(read: (from: number) => Promise<Part>): Promise<string> {
  const parts: string[] = [];
  for (let from = 1; from > 0;) {
    const { content, more = "" } = await read(from);
    parts.push(content);
    from = Number(/read on with \w+ (\d+)/.exec(more)?.[1] ?? 0);
  }
  return parts.join("");
}

const lines = fc.array(fc.constantFrom("a line\n", "\n", "\u200bhidden\n", '"quoted" \\\n', "x".repeat(500) + "\n"), {
  minLength: 1,
  maxLength: 60,
});

describe("what an answer leaves out", () => {
  it("is read on by fromLine of the unified tool, until the whole text has been read", async () => {
    const property = fc.asyncProperty(lines, fc.constantFrom("", "the end"), async (all, end) => {
      const memory = freshMemory();
      await memory.write("/f", all.join("") + end);
      const { call } = callsOf("unified", memory, 2000);
      const whole = await readOn(async (fromLine) => {
        const said = await call({ command: "read", path: "/f", fromLine });
        expect(said.length).toBeLessThanOrEqual(2000);
        return (JSON.parse(said) as { result: Part }).result;
      });
      expect(whole).toBe(all.join("") + end);
    });
    await assertProperty(property, { usual: 30, long: 500 });
  });

  it("is read on by from_line of the journal", async () => {
    const memory = freshMemory();
    const text = Array.from({ length: 2000 }, (_, index) => `line ${index}`).join("\n");
    await memory.write("/MEMORY.md", `### k\n\n${text}\n`);
    const { call } = callsOf("journal", memory, 2000);
    const read = async (from_line: number): Promise<Part> =>
      (JSON.parse(await call({ key: "k", from_line }, "memory_read")) as { data: Part }).data;
    expect(await readOn(read)).toBe(text);
  });

  it("is read on by view_range of Claude's tool", async () => {
    const memory = freshMemory();
    await memory.write("/f", "a line\n".repeat(1000));
    const { call } = callsOf("claude", memory, 2000);
    const view = { command: "view", path: "/memories/f" };
    const shown = Number(
      /: (\d+) of 1000 lines shown; use view_range to see the others\]$/.exec(await call(view))?.[1],
    );
    const rest = await call({ ...view, view_range: [shown + 1, -1] });
    expect(rest.split("\n")[1]).toBe(`${String(shown + 1).padStart(6)}\ta line`);
  });

  it("is read on in a view of a flat directory, until each entry has been shown", async () => {
    const { call } = callsOf("claude", withManyFiles, 2000);
    const view = (view_range?: number[]): Promise<string> =>
      call({ command: "view", path: "/memories/many", view_range });
    const seen = new Set<string>();
    for (let first = 1; first <= 601;) {
      const entries = (await view([first, -1])).split("\n").filter((line) => line.startsWith("0B\t"));
      expect(entries.length).toBeGreaterThan(0);
      for (const line of entries) seen.add(line);
      first += entries.length;
    }
    expect(seen.size).toBe(601);
    expect(await view()).toMatch(/ of 601 entries shown; use view_range to see the others\]$/);
    expect(await view([700, -1])).toContain("within the range of lines of the listing: [1, 601]");
  });

  it("is said of a line that is longer than an answer", async () => {
    const memory = freshMemory();
    await memory.write("/f", `${"x".repeat(5000)}\nlast`);
    const said = await callsOf("unified", memory, 2000).call({ command: "read", path: "/f" });
    expect((JSON.parse(said) as { result: Part }).result).toMatchObject({
      content: expect.stringMatching(/^x{1000,}$/),
      lines: "1 to 1 of 2",
      more: "line 1 is longer than an answer, and is cut; read on with fromLine 2",
    });
  });

  it.each([
    ["f", "read a path that you know"],
    ["d/f", "list a directory below, or read a path that you know"],
  ])("is counted in a list of %s, which says where to look", async (name, more) => {
    const memory = freshMemory();
    for (let index = 0; index < 100; index += 1) await memory.write(`/f${index}`, "");
    await memory.write(`/${name}`, "");
    const said = await callsOf("unified", memory, 2000).call({ command: "list", path: "/" });
    const { entries, ...rest } = (JSON.parse(said) as { result: { entries: object[] } }).result;
    expect(rest).toEqual({ leftOut: 101 - entries.length, more });
  });

  it("ends a path of hidden characters, also in an answer that is no refusal", async () => {
    const { call } = callsOf("unified", freshMemory(), 2000);
    const path = `/${"\u200b".repeat(255)}`.repeat(4);
    for (const args of [{ command: "append", content: "x".repeat(3000) }, { command: "read" }, { command: "delete" }]) {
      const said = await call({ ...args, path });
      expect(said).toContain('"ok":true');
      expect(said.length).toBeLessThanOrEqual(2000);
    }
  });
});

describe("hostile arguments", () => {
  const long = (part: string): string => part.repeat(Math.ceil(1900 / part.length));
  const hostile = [long("/"), long("\u200b"), long('"'), long("<|im_end|>"), long("a/"), long("../"), long("\u0001")];
  const legal = [`/${"\u200b".repeat(250)}`, `/${'"'.repeat(255)}`, `/${"x".repeat(250)}`.repeat(4)];
  const spellings = [...hostile, ...legal].flatMap((text) => [text, `/memories${text}`]);

  it.each(dialectNames)("get no longer answer than any other from %s", async (name) => {
    const memory = freshMemory();
    for (const path of legal) await memory.write(path, `${path}\n`.repeat(20));
    const { tools, call } = callsOf(name, memory, 2000);
    for (const tool of tools) {
      const { properties } = tool.schema as { properties: Record<string, { enum?: string[] }> };
      const names = Object.keys(properties).filter((each) => each !== "command");
      for (const command of properties["command"]?.enum ?? [undefined])
        for (const text of spellings) {
          const same = Object.fromEntries(names.map((each) => [each, text]));
          const onlyPath = {
            path: text,
            old_path: text,
            new_path: `${text}y`,
            key: text,
            file_text: "x",
            content: "x",
          };
          for (const given of [same, onlyPath, { [text]: text }, { command: text }]) {
            const args = { ...(command !== undefined && { command }), ...given };
            const { length } = await call(args, tool.name);
            expect([length > 2000, tool.name, args]).toEqual([false, tool.name, args]);
          }
        }
    }
  });
});

const manyLines = "\n".repeat(20_000);
const headings = "### key\n".repeat(200);

/** How often others had the event loop before a call came to its end. The store itself never leaves it. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function take() {
    turns += 1;
    next = setImmediate(take);
  });
  await run();
  clearImmediate(next);
  return turns;
}

const longCalls: [name: string, text: string, call: (memory: Memory) => Promise<unknown>][] = [
  ["grep of all lines", manyLines, (memory) => new DeepAgentsBackend(memory).grep("")],
  ["glob of many stars", manyLines, (memory) => new DeepAgentsBackend(memory).glob("*a".repeat(500))],
  [
    "view of very many lines",
    manyLines,
    (memory) =>
      createClaudeMemoryTool(memory, { maxAnswerChars: 400_000 }).invoke({
        command: "view",
        path: "/memories/MEMORY.md",
      }),
  ],
  [
    "view of very many files",
    "",
    (memory) => {
      const files = Array.from({ length: 20_000 }, (_, index) => ({ path: `/file ${index}`, sizeBytes: 1 }));
      const outline = { files, directories: [], revision: null };
      const large: Memory = Object.assign(memory, { outline: async () => outline, with: () => large });
      return createClaudeMemoryTool(large).invoke({ command: "view", path: "/memories" });
    },
  ],
  [
    "the lines that come near to a text, of very many",
    manyLines,
    (memory) =>
      createClaudeMemoryTool(memory).invoke({
        command: "str_replace",
        path: "/memories/MEMORY.md",
        old_str: "words",
      }),
  ],
  [
    "memory_search of very many blocks",
    headings,
    async (memory) => createJournalTools(memory)[3]?.invoke({ query: "x" }),
  ],
  [
    "memory_read of one of very many blocks",
    headings,
    async (memory) => createJournalTools(memory)[2]?.invoke({ key: "key" }),
  ],
];

describe("long work", () => {
  let nowMs = 0;
  /** Whoever looks at the clock has worked for a millisecond. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
  afterEach(() => void jest.restoreAllMocks());

  it.each(longCalls)("lets others have their turn: %s", async (_name, text, call) => {
    const memory = freshMemory();
    await memory.write("/MEMORY.md", text);
    for (let index = 0; index < 30; index += 1)
      await memory.write(`/${"a".repeat(250)}/${"a".repeat(240)}${index}`, "");
    expect(await turnsDuring(() => call(memory))).toBeGreaterThan(0);
  });
});

describe("a long journal", () => {
  it("may have more headings than a call takes arguments", async () => {
    const memory = freshMemory();
    await memory.write("/MEMORY.md", "### a\n".repeat(130_000));
    const [, , , search] = createJournalTools(memory);
    expect(await search?.invoke({ query: "", limit: 1 })).toContain('"total":130000');
  });
});
