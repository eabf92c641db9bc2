import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { type ClaudeMemoryOptions, createClaudeMemoryTool } from "../../../../src/langchain/claude/index.js";
import { MemoryNode, openMemory } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";
import { editByModel } from "../../../helpers/line-end-model.js";
import { repetitions } from "../../../helpers/repetitions.js";

const store = new InMemoryStore();

/** The tool on a memory with one file, and the text of that file. */
async function createFile(text: string, options?: ClaudeMemoryOptions) {
  const memory = openMemory(store, freshAddress());
  await memory.write("/f", text);
  const tool = createClaudeMemoryTool(memory, options);
  const call = (args: Record<string, unknown>): Promise<string> => tool.invoke({ path: "/memories/f", ...args });
  return { call, text: () => memory.read("/f") };
}

describe("str_replace under a guard", () => {
  it.each([
    ["the new text", "the key is secret", "2 \tx\n3 \tthe key is [key]\n4 \ty"],
    ["another line too", "b", "1 \t[key]\n2 \tx\n3 \tb\n4 \ty"],
    ["nothing", "c", "1 \ta\n2 \tx\n3 \tc\n4 \ty"],
  ])("that changes %s shows what was stored", async (_title, new_str, shown) => {
    const first = new_str === "b" ? "secret" : "a";
    const node = new MemoryNode({
      ...freshAddress(),
      store,
      guard: ({ content }) => content.replaceAll("secret", "[key]"),
    });
    await openMemory(store, { nodeId: node.nodeId }).write("/f", `${first}\nx\nold\ny\n`);
    const answer = await createClaudeMemoryTool(node).invoke({
      command: "str_replace",
      path: "/memories/f",
      old_str: "old",
      new_str,
    });
    const lines = answer
      .split("\n")
      .slice(1)
      .map((line: string) => line.trimStart().replace("\t", " \t"));
    expect(lines.join("\n")).toContain(shown);
    expect(answer).not.toContain("secret");
  });
});

describe("str_replace", () => {
  it.each([
    ["several lines", "a\nb\nc\n", "a\nb", "x", "x\nc\n"],
    ["a newline", "a\nb", "\n", " ", "a b"],
    ["nothing new, which deletes", "a b c", " b", undefined, "a c"],
    ["null, which deletes", "a b c", " b", null, "a c"],
    ["$& and $1", "price", "price", "$& $1 $$", "$& $1 $$"],
    ["a regular expression", "a.c abc", "a.c", "x", "x abc"],
    ["the same", "abc", "b", "b", "abc"],
    ["carriage returns", "a\r\nb\r\n", "a\r\nb", "c", "c\r\n"],
  ])("takes %s as they are", async (_title, before, old_str, new_str, after) => {
    const { call, text } = await createFile(before);
    expect(await call({ command: "str_replace", old_str, new_str })).toMatch(/^The memory file has been edited\. /);
    expect(await text()).toBe(after);
  });

  it("names the first 100 of very many lines", async () => {
    const { call } = await createFile("a\n".repeat(1000));
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1).join(", ");
    expect(await call({ command: "str_replace", old_str: "a", new_str: "b" })).toContain(
      `in lines: ${numbers}, …. Please`,
    );
  });

  it("says of several lines found twice where each begins", async () => {
    const { call } = await createFile("x\na\nb\n-\na\nb\n");
    expect(await call({ command: "str_replace", old_str: "a\nb", new_str: "c" })).toContain("in lines: 2, 5. Please");
  });
});

describe("insert", () => {
  it.each([
    ["at the beginning", "a\nb\n", 0, "x", "x\na\nb\n"],
    ["at the end, keeping the final newline", "a\nb\n", 2, "x", "a\nb\nx\n"],
    ["at the end, adding no final newline", "a\nb", 2, "x\n", "a\nb\nx"],
    ["with a newline of its own", "a\nb\n", 1, "x\n", "a\nx\nb\n"],
    ["with an empty line", "a\nb\n", 1, "x\n\n", "a\nx\n\nb\n"],
    ["of an empty line", "a\n", 1, "", "a\n\n"],
    ["into an empty file", "", 0, "x", "x"],
    ["into an empty file with a newline", "", 0, "x\n", "x\n"],
    ["of an empty line into an empty file", "", 0, "", "\n"],
    ["of an empty line after the last one", "a", 1, "", "a\n\n"],
    ["after empty lines", "a\n\n", 2, "x", "a\n\nx\n"],
  ])("%s", async (_title, before, insert_line, insert_text, after) => {
    const { call, text } = await createFile(before);
    expect(await call({ command: "insert", insert_line, insert_text })).toBe("The file /memories/f has been edited.");
    expect(await text()).toBe(after);
  });

  it("into an empty file finds no first line", async () => {
    const { call } = await createFile("");
    const answer = await call({ command: "insert", insert_line: 1, insert_text: "x" });
    expect(answer).toBe(
      "Error: Invalid `insert_line` parameter: 1. It should be within the range of lines of the file: [0, 0]",
    );
  });
});

describe("create", () => {
  it("replaces where the options say so, but no directory", async () => {
    const { call, text } = await createFile("old", { ifExists: "replace" });
    expect(await call({ command: "create", file_text: "new" })).toBe("File created successfully at: /memories/f");
    expect(await text()).toBe("new");
    const answer = await call({ command: "create", path: "/memories", file_text: "new" });
    expect(answer).toBe("Error: The path /memories is a directory");
  });
});

describe("maxViewChars", () => {
  it("cuts after a whole line and says so", async () => {
    const { call } = await createFile("aaa\nbbb\nccc\n", { maxViewChars: 21 });
    const header = "Here's the content of /memories/f with line numbers:\n";
    expect(await call({ command: "view" })).toBe(
      `${header}     1\taaa\n     2\tbbb\n[Truncated after 21 characters: 2 of 3 lines shown; use view_range to see the others]`,
    );
    expect(await call({ command: "view", view_range: [2, 3] })).toBe(`${header}     2\tbbb\n     3\tccc`);
  });

  it("cuts a line that is too long, never inside a character", async () => {
    const { call } = await createFile("🧠".repeat(20), { maxViewChars: 17 });
    expect(await call({ command: "view" })).toContain(
      `\n     1\t${"🧠".repeat(4)}…\n[Truncated after 17 characters: part of 1 of 1 lines`,
    );
  });

  it("cuts directories and snippets too", async () => {
    const { call } = await createFile("aaa", { maxViewChars: 12 });
    expect(await call({ command: "view", path: "/memories" })).toMatch(
      /:\n3B\t\/memories\n\[Truncated after 12 characters: 1 of 2 entries shown; use view_range to see the others\]$/,
    );
    expect(await call({ command: "str_replace", old_str: "aaa", new_str: "b\nc" })).toMatch(
      /\n {5}1\tb\n\[Truncated after 12 characters: 1 of 2 lines shown\]$/,
    );
  });

  it("leaves an answer of 40,000 characters where it is not given", async () => {
    const { call } = await createFile("x".repeat(500_000));
    const answer = await call({ command: "view" });
    expect(answer.length).toBeGreaterThan(39_000);
    expect(answer.length).toBeLessThanOrEqual(40_000);
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
      const { call } = await createFile(before);
      const shown = (await call({ command: "view" })).split("\n").slice(1);
      const lines = linesWithEnds(before).map((line) => line.replace(/\n$/, ""));
      expect(shown).toEqual(lines.map((line, index) => `${String(index + 1).padStart(6, " ")}\t${line}`));
      if (start >= lines.length) return;
      const range = await call({ command: "view", view_range: [start + 1, start + 1 + length] });
      expect(range.split("\n").slice(1)).toEqual(shown.slice(start, start + 1 + length));
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 100, long: 300 }) });
  });

  it("takes an insert at each of its lines, and at no other", async () => {
    const property = fc.asyncProperty(
      texts,
      fc.integer({ min: -2, max: 14 }),
      texts,
      async (before, insert_line, addition) => {
        const { call, text } = await createFile(before);
        const answer = await call({ command: "insert", insert_line, insert_text: addition });
        const lines = linesWithEnds(before);
        if (insert_line < 0 || insert_line > lines.length) {
          expect(answer).toContain(`[0, ${lines.length}]`);
          expect(await text()).toBe(before);
          return;
        }
        const trim = (line: string): string => line.replace(/\r?\n$/, "");
        const expected = lines.map(trim);
        expected.splice(insert_line, 0, ...trim(addition).split(/\r?\n/));
        const after = await text();
        expect(linesWithEnds(after).map(trim)).toEqual(expected);
        const isEnded = (before === "" ? addition : before).endsWith("\n") || expected.at(-1) === "";
        expect(after.endsWith("\n")).toBe(isEnded);
        expect(after).toBe(editByModel(before, { type: "insert", after: insert_line, content: addition }));
      },
    );
    await fc.assert(property, { numRuns: repetitions({ usual: 150, long: 500 }) });
  });

  it("takes a str_replace where the old text is in it once, and at no other time", async () => {
    const property = fc.asyncProperty(
      texts,
      fc.string({ unit: fc.constantFrom("a", "b", "\n", "🧠"), minLength: 1, maxLength: 4 }),
      texts,
      async (before, old_str, new_str) => {
        const { call, text } = await createFile(before);
        const answer = await call({ command: "str_replace", old_str, new_str });
        const plain = before.replaceAll("\r\n", "\n");
        const at = plain.indexOf(old_str);
        const once = at !== -1 && plain.lastIndexOf(old_str) === at;
        expect(answer).toMatch(once ? /^The memory file has been edited\./ : /^No replacement was performed/);
        expect(await text()).toBe(editByModel(before, { type: "replace", search: old_str, content: new_str }));
      },
    );
    await fc.assert(property, { numRuns: repetitions({ usual: 150, long: 500 }) });
  });
});
