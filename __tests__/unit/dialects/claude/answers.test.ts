import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import {
  claudeMemoryHandlers,
  type ClaudeMemoryOptions,
  createClaudeMemoryTool,
} from "../../../../src/langchain/claude/index.js";
import { type Memory, openMemory } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";

const store = new InMemoryStore();

async function createMemory(files: Record<string, string> = {}): Promise<Memory> {
  const memory = openMemory(store, freshAddress());
  for (const [path, text] of Object.entries(files)) await memory.write(path, text);
  return memory;
}

type Call = (args: Record<string, unknown>) => Promise<string>;

async function callOn(
  files: Record<string, string> = {},
  options?: ClaudeMemoryOptions,
): Promise<{ memory: Memory; call: Call }> {
  const memory = await createMemory(files);
  const tool = createClaudeMemoryTool(memory, options);
  return { memory, call: (args) => tool.invoke(args) };
}

const view = (path: string, view_range?: unknown) => ({ command: "view", path, view_range });
const replace = (path: string, old_str: string, new_str?: string | null) => ({
  command: "str_replace",
  path,
  old_str,
  new_str,
});
const insert = (path: string, insert_line: unknown, insert_text: string) => ({
  command: "insert",
  path,
  insert_line,
  insert_text,
});
const create = (path: string, file_text: string) => ({ command: "create", path, file_text });
const remove = (path: string) => ({ command: "delete", path });
const rename = (old_path: string, new_path: string) => ({ command: "rename", old_path, new_path });

const directory =
  "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
const content = "Here's the content of /memories/a.txt with line numbers:";
const edited = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";

describe("what succeeds is said in the documented words", () => {
  it.each([
    ["the empty root", {}, view("/memories"), `${directory}\n0B\t/memories`],
    [
      "a tree, two levels deep, sorted, without hidden items and node_modules",
      {
        "/b/c/d.txt": "12345",
        "/b.txt": "1",
        "/B": "",
        "/b/a": "x".repeat(1536),
        "/b c": "1",
        "/.hidden/x": "1",
        "/node_modules/y": "1",
        "/b/.z": "1",
      },
      view("/memories"),
      `${directory}\n1.5K\t/memories\n0B\t/memories/B\n1.5K\t/memories/b\n1.5K\t/memories/b/a\n5B\t/memories/b/c\n1B\t/memories/b c\n1B\t/memories/b.txt`,
    ],
    [
      "a directory below the root, hidden or not, with a trailing slash",
      { "/.d/a": "1", "/.d/e/f/g": "22" },
      view("/memories/.d/"),
      "Here're the files and directories up to 2 levels deep in /memories/.d/, excluding hidden items and node_modules:\n" +
        "3B\t/memories/.d\n1B\t/memories/.d/a\n2B\t/memories/.d/e\n2B\t/memories/.d/e/f",
    ],
    ["a view_range on a directory", {}, view("/memories", [1, 2]), `${directory}\n0B\t/memories`],
    ["a file", { "/a.txt": "one\n\tthree" }, view("/memories/a.txt"), `${content}\n     1\tone\n     2\t\tthree`],
    [
      "a final newline, which begins no line",
      { "/a.txt": "a\nb\n" },
      view("/memories/a.txt"),
      `${content}\n     1\ta\n     2\tb`,
    ],
    ["an empty last line", { "/a.txt": "a\n\n" }, view("/memories/a.txt"), `${content}\n     1\ta\n     2\t`],
    ["an empty file", { "/a.txt": "" }, view("/memories/a.txt"), content],
    ["carriage returns", { "/a.txt": "a\r\nb\r\n" }, view("/memories/a.txt"), `${content}\n     1\ta\r\n     2\tb\r`],
    ["a range", { "/a.txt": "a\nb\nc\nd\n" }, view("/memories/a.txt", [2, 3]), `${content}\n     2\tb\n     3\tc`],
    [
      "a range to the end",
      { "/a.txt": "a\nb\nc\n" },
      view("/memories/a.txt", [2, -1]),
      `${content}\n     2\tb\n     3\tc`,
    ],
    [
      "a range beyond the file",
      { "/a.txt": "a\nb" },
      view("/memories/a.txt", [0, 100]),
      `${content}\n     1\ta\n     2\tb`,
    ],
    ["a range of an empty file", { "/a.txt": "" }, view("/memories/a.txt", [1, -1]), content],
    ["create", {}, create("/memories/x/y.txt", "t"), "File created successfully at: /memories/x/y.txt"],
    [
      "str_replace",
      { "/a.txt": "1\n2\n3\n4\n5\n6\n7\n" },
      replace("/memories/a.txt", "4", "four"),
      `${edited}\n     2\t2\n     3\t3\n     4\tfour\n     5\t5\n     6\t6`,
    ],
    ["str_replace of all there is", { "/a.txt": "x" }, replace("/memories/a.txt", "x"), edited],
    ["insert", { "/a.txt": "a" }, insert("/memories/a.txt", 1, "b"), "The file /memories/a.txt has been edited."],
    ["delete", { "/a.txt": "a" }, remove("/memories/a.txt"), "Successfully deleted /memories/a.txt"],
    ["delete of a directory", { "/d/a.txt": "a" }, remove("/memories/d"), "Successfully deleted /memories/d"],
    [
      "rename",
      { "/a": "" },
      rename("/memories/a", "/memories/n/b"),
      "Successfully renamed /memories/a to /memories/n/b",
    ],
  ])("%s", async (_title, files, args, answer) => {
    expect(await (await callOn(files as Record<string, string>)).call(args)).toBe(answer);
  });
});

const missing = (path: string): string => `The path ${path} does not exist. Please provide a valid path.`;
const unmatched = (text: string): string =>
  `No replacement was performed, old_str \`${text}\` did not appear verbatim in /memories/f.`;
const ambiguous = (text: string, lines: string): string =>
  `No replacement was performed. Multiple occurrences of old_str \`${text}\` in lines: ${lines}. Please ensure it is unique`;
const rangeForm = "it must be a list of two integers, the first and the last line, or -1 for the end of the file";

describe("what is refused is said in the documented words, and changes nothing", () => {
  const files = { "/f": "a\nb b\na\n", "/d/x": "x", "/aaa": "aaa" };
  it.each([
    ["view of nothing", view("/memories/none"), missing("/memories/none")],
    ["view below a file", view("/memories/f/x"), missing("/memories/f/x")],
    ["view of a range that is none", view("/memories/f", [1]), `Error: Invalid \`view_range\` parameter: ${rangeForm}`],
    ["view of half lines", view("/memories/f", [1.5, 2]), `Error: Invalid \`view_range\` parameter: ${rangeForm}`],
    ["view of words", view("/memories/f", "1-2"), `Error: Invalid \`view_range\` parameter: ${rangeForm}`],
    [
      "view of a range turned round",
      view("/memories/f", [3, 2]),
      "Error: Invalid `view_range` parameter: [3, 2]. Its end should be -1 or not before its start",
    ],
    [
      "view to -2",
      view("/memories/f", [1, -2]),
      "Error: Invalid `view_range` parameter: [1, -2]. Its end should be -1 or not before its start",
    ],
    [
      "view after the end",
      view("/memories/f", [4, -1]),
      "Error: Invalid `view_range` parameter: [4, -1]. It should be within the range of lines of the file: [1, 3]",
    ],
    ["create where a file is", create("/memories/f", "t"), "Error: File /memories/f already exists"],
    ["create where a directory is", create("/memories/d", "t"), "Error: File /memories/d already exists"],
    ["create at the root", create("/memories", "t"), "Error: File /memories already exists"],
    [
      "create below a file",
      create("/memories/f/x", "t"),
      "Error: Cannot create /memories/f/x: a parent of the path is a file",
    ],
    ["str_replace in nothing", replace("/memories/none", "a", "b"), `Error: ${missing("/memories/none")}`],
    ["str_replace in a directory", replace("/memories/d", "a", "b"), `Error: ${missing("/memories/d")}`],
    ["str_replace in the root", replace("/memories", "a", "b"), `Error: ${missing("/memories")}`],
    ["str_replace of what is not there", replace("/memories/f", "c", "b"), unmatched("c")],
    ["str_replace of several lines not there", replace("/memories/f", "b\nb", "b"), unmatched("b\nb")],
    ["str_replace of what is on two lines", replace("/memories/f", "a", "b"), ambiguous("a", "1, 3")],
    ["str_replace of what is twice on one line", replace("/memories/f", "b", "c"), ambiguous("b", "2, 2")],
    ["str_replace of what is thrice on one line", replace("/memories/aaa", "a", "c"), ambiguous("a", "1, 1, 1")],
    ["str_replace of what overlaps itself", replace("/memories/aaa", "aa", "c"), ambiguous("aa", "1, 1")],
    [
      "str_replace of nothing",
      replace("/memories/f", "", "b"),
      "Error: Invalid `old_str` parameter: it must not be empty",
    ],
    ["insert into nothing", insert("/memories/none", 0, "x"), "Error: The path /memories/none does not exist"],
    ["insert into a directory", insert("/memories/d", 0, "x"), "Error: The path /memories/d does not exist"],
    [
      "insert after the end",
      insert("/memories/f", 4, "x"),
      "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
    ],
    [
      "insert before the beginning",
      insert("/memories/f", -1, "x"),
      "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 3]",
    ],
    [
      "insert between lines",
      insert("/memories/f", 1.5, "x"),
      "Error: Invalid `insert_line` parameter: 1.5. It should be within the range of lines of the file: [0, 3]",
    ],
    [
      "insert without a line",
      insert("/memories/f", undefined, "x"),
      "Error: Invalid `insert_line` parameter: it is required and must be an integer",
    ],
    [
      "insert at a word",
      insert("/memories/f", "one", "x"),
      "Error: Invalid `insert_line` parameter: it is required and must be an integer",
    ],
    ["delete of nothing", remove("/memories/none"), "Error: The path /memories/none does not exist"],
    ["rename of nothing", rename("/memories/none", "/memories/new"), "Error: The path /memories/none does not exist"],
    ["rename onto a file", rename("/memories/d", "/memories/f"), "Error: The destination /memories/f already exists"],
    [
      "rename onto a directory",
      rename("/memories/f", "/memories/d"),
      "Error: The destination /memories/d already exists",
    ],
    ["rename onto itself", rename("/memories/f", "/memories/f"), "Error: The destination /memories/f already exists"],
    ["rename onto the root", rename("/memories/f", "/memories"), "Error: The destination /memories already exists"],
    ["rename into itself", rename("/memories/d", "/memories/d/e"), "Error: Cannot move /memories/d into itself"],
    [
      "rename below a file",
      rename("/memories/d", "/memories/f/x"),
      "Error: Cannot create /memories/f/x: a parent of the path is a file",
    ],
  ])("%s", async (_title, args, answer) => {
    const { memory, call } = await callOn(files);
    expect(await call(args)).toBe(answer);
    // The SDK's runner puts "Error: " before what a handler throws.
    const handlers = claudeMemoryHandlers(memory) as unknown as Record<string, (command: unknown) => Promise<string>>;
    await expect(handlers[args.command]?.(args)).rejects.toMatchObject({ message: answer.replace(/^Error: /, "") });
    const { files: left, directories } = await memory.snapshot();
    expect(Object.fromEntries(left.map(({ path, content: text }) => [path, text]))).toEqual(files);
    expect(directories).toEqual(["/d"]);
  });

  it("a file of more than 999,999 lines, whatever the range", async () => {
    const { memory, call } = await callOn();
    await memory.write("/most", "\n".repeat(999_999));
    await memory.write("/many", "\n".repeat(1_000_000));
    expect(await call(view("/memories/most", [999_999, -1]))).toBe(
      "Here's the content of /memories/most with line numbers:\n999999\t",
    );
    for (const range of [undefined, [1, 2]]) {
      expect(await call(view("/memories/many", range))).toBe(
        "File /memories/many exceeds maximum line limit of 999,999 lines.",
      );
    }
  });

  it("a file over its limit, with the limit", async () => {
    const memory = openMemory(store, freshAddress(), { maxFileBytes: 3 });
    const answer = await createClaudeMemoryTool(memory).invoke(create("/memories/a.txt", "1234"));
    expect(answer).toBe(
      "Error: EFBIG: the file would be 4 bytes, over its limit of 3 bytes; split it into several files",
    );
  });
});
