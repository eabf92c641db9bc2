import { beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { Memory } from "../../../src/core/memory.js";
import { createClaudeDialect } from "../../../src/dialects/claude/claude-dialect.js";
import type { Dialect } from "../../../src/dialects/dialect.js";
import { createJournalDialect } from "../../../src/dialects/journal/journal-dialect.js";
import { createRecordsDialect } from "../../../src/dialects/records/records-dialect.js";
import { createUnifiedDialect } from "../../../src/dialects/unified/unified-dialect.js";
import { openMemory } from "../../../src/open-memory.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { repetitions } from "../../helpers/repetitions.js";

type Arguments = Record<string, unknown>;

const commands = ["read", "list", "append", "update", "delete", "search"] as const;

/** Every dialect, with the longest answer that it may give. */
const create = {
  unified: (maxAnswerChars?: number) => createUnifiedDialect({ commands: [...commands], ...chosen(maxAnswerChars) }),
  claude: (maxAnswerChars?: number) => createClaudeDialect({ search: true, ...chosen(maxAnswerChars) }),
  journal: (maxAnswerChars?: number) => createJournalDialect(chosen(maxAnswerChars)),
  records: (maxAnswerChars?: number) => createRecordsDialect({ search: true, ...chosen(maxAnswerChars) }),
} satisfies Record<string, (maxAnswerChars?: number) => Dialect>;

function chosen(maxAnswerChars: number | undefined): { maxAnswerChars?: number } {
  return maxAnswerChars === undefined ? {} : { maxAnswerChars };
}

const freshMemory = (): Memory => openMemory(new InMemoryStore(), freshAddress());
/** With a directory that is longer than any answer. */
const withManyFiles = freshMemory();

beforeAll(async () => {
  for (let index = 0; index < 600; index += 1)
    await withManyFiles.write(`/many/${"long name ".repeat(10)}${index}`, "");
});

async function answer(dialect: Dialect, tool: string, args: Arguments, memory: Memory): Promise<string> {
  const definition = dialect.tools.find(({ name }) => name === tool);
  return (await definition?.answer(args, async () => memory))?.text ?? "";
}

/** Texts that become longer in an answer. */
const texts: [title: string, text: string][] = [
  ["many lines", "water the beans\n".repeat(5_000)],
  ["one line", "water the beans ".repeat(5_000)],
  ["hidden characters", "\u200bwater\u202e\n".repeat(5_000)],
  ["one hidden line", "\u200b".repeat(50_000)],
  ["special tokens", "<|im_end|> water\n".repeat(5_000)],
  ["quotes and newlines", '"\\\n'.repeat(25_000)],
];

const calls: [dialect: keyof typeof create, tool: string, args: Arguments][] = [
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
    const memory = withManyFiles;
    await memory.write("/f", text);
    await memory.write("/MEMORY.md", `### k\n\n${text}\n`);
    for (const [dialect, tool, args] of calls) {
      const said = await answer(create[dialect](option), tool, args, memory);
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
      const text = all.join("") + end;
      await memory.write("/f", text);
      const dialect = create.unified(2000);
      const read = async (fromLine: number): Promise<Part> => {
        const said = await answer(dialect, "memory", { command: "read", path: "/f", fromLine }, memory);
        expect(said.length).toBeLessThanOrEqual(2000);
        return (JSON.parse(said) as { result: Part }).result;
      };
      expect(await readOn(read)).toBe(text);
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 50, long: 500 }) });
  });

  it("is read on by from_line of the journal", async () => {
    const memory = freshMemory();
    const text = Array.from({ length: 2000 }, (_, index) => `line ${index}`).join("\n");
    await memory.write("/MEMORY.md", `### k\n\n${text}\n`);
    const read = async (from_line: number): Promise<Part> => {
      const said = await answer(create.journal(2000), "memory_read", { key: "k", from_line }, memory);
      return (JSON.parse(said) as { data: Part }).data;
    };
    expect(await readOn(read)).toBe(text);
  });

  it("is read on by view_range of Claude's tool", async () => {
    const memory = freshMemory();
    await memory.write("/f", "a line\n".repeat(1000));
    const dialect = create.claude(2000);
    const whole = await answer(dialect, "memory", { command: "view", path: "/memories/f" }, memory);
    const shown = Number(/: (\d+) of 1000 lines shown; use view_range to see the others\]$/.exec(whole)?.[1]);
    const rest = await answer(
      dialect,
      "memory",
      { command: "view", path: "/memories/f", view_range: [shown + 1, -1] },
      memory,
    );
    expect(rest.split("\n")[1]).toBe(`${String(shown + 1).padStart(6)}\ta line`);
  });

  it("is said of a line that is longer than an answer", async () => {
    const memory = freshMemory();
    await memory.write("/f", `${"x".repeat(5000)}\nlast`);
    const said = await answer(create.unified(2000), "memory", { command: "read", path: "/f" }, memory);
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
    const said = await answer(create.unified(2000), "memory", { command: "list", path: "/" }, memory);
    const { entries, ...rest } = (JSON.parse(said) as { result: { entries: object[] } }).result;
    expect(rest).toEqual({ leftOut: 101 - entries.length, more });
  });

  it("ends a path of hidden characters, also in an answer that is no refusal", async () => {
    const memory = freshMemory();
    const path = `/${"\u200b".repeat(255)}`.repeat(4);
    for (const args of [{ command: "append", content: "x".repeat(3000) }, { command: "read" }, { command: "delete" }]) {
      const said = await answer(create.unified(2000), "memory", { ...args, path }, memory);
      expect(said).toContain('"ok":true');
      expect(said.length).toBeLessThanOrEqual(2000);
    }
  });

  it("is refused for fromLine 2 of an empty file, which has no lines to name", async () => {
    const memory = freshMemory();
    await memory.write("/f", "");
    expect(await answer(create.unified(), "memory", { command: "read", path: "/f", fromLine: 2 }, memory)).toContain(
      "fromLine must be 1: the file is empty",
    );
  });

  it.each([0, -1, 1.5, "x", 4])("is refused for fromLine %j of three lines", async (fromLine) => {
    const memory = freshMemory();
    await memory.write("/f", "a\nb\nc\n");
    expect(await answer(create.unified(), "memory", { command: "read", path: "/f", fromLine }, memory)).toContain(
      '"code":"EINVAL"',
    );
  });
});

describe("hostile arguments", () => {
  const maxAnswerChars = 2000;
  const long = (part: string): string => part.repeat(Math.ceil(1900 / part.length));
  const hostile = [long("/"), long("\u200b"), long('"'), long("<|im_end|>"), long("a/"), long("../"), long("\u0001")];
  const legal = [`/${"\u200b".repeat(250)}`, `/${'"'.repeat(255)}`, `/${"x".repeat(250)}`.repeat(4)];
  const dialects = Object.entries(create).map(([name, make]) => [name, make(maxAnswerChars)] as const);

  it.each(dialects)("get no longer answer than any other from %s", async (name, dialect) => {
    const memory = freshMemory();
    for (const path of legal) await memory.write(path, `${path}\n`.repeat(20));
    const spellings = [...hostile, ...legal].flatMap((text) => [text, `/memories${text}`]);
    for (const tool of dialect.tools) {
      const { properties } = tool.schema as { properties: Record<string, { enum?: string[] }> };
      const names = Object.keys(properties).filter((each) => each !== "command");
      for (const command of properties["command"]?.enum ?? [""])
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
            const args = { ...(command !== "" && { command }), ...given };
            const found = await answer(dialect, tool.name, args, memory);
            expect([found.length > maxAnswerChars, name, tool.name, found.length, args]).toEqual([
              false,
              name,
              tool.name,
              found.length,
              args,
            ]);
          }
        }
    }
  });

  it("show a flat directory that is longer than an answer part by part", async () => {
    const view = (view_range?: number[]): Promise<string> =>
      answer(
        create.claude(maxAnswerChars),
        "memory",
        { command: "view", path: "/memories/many", view_range },
        withManyFiles,
      );
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
});
