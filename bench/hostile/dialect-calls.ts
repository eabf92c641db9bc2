import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Memory } from "../../src/core/memory.js";
import type { Ground, HostileCall } from "./hostile-call.js";
import { headings, nearlyEverywhere, newlines, sameLetter, writeFile, writeNames } from "./texts.js";

interface ToolCall {
  dialect: "unified" | "claude" | "journal" | "records";
  command: string;
  /** Default: the only tool of the dialect. */
  tool?: string;
  input: string;
  find: (ground: Ground, bytes: number) => Promise<Memory>;
  args: (bytes: number) => object;
}

const emptyLines = "a file of newlines";
const oneLetter = "a file of one letter";
const manyNames = "a directory of long names that begin alike";
const manyBlocks = "a journal file of headings";

const names: ToolCall["find"] = writeNames;
const fileOf =
  (textOf: (bytes: number) => string): ToolCall["find"] =>
  ({ memory }, bytes) =>
    writeFile(memory(), textOf(bytes));
const nothing: ToolCall["find"] = ({ memory }) => Promise.resolve(memory());
const journal: ToolCall["find"] = async ({ memory }, bytes) => {
  const made = memory().with({ paths: "posix" });
  await made.write("/MEMORY.md", headings(bytes - 100));
  return made;
};

const unified = (
  command: string,
  input: string,
  find: ToolCall["find"],
  more: (bytes: number) => object,
): ToolCall => ({
  dialect: "unified",
  command,
  input,
  find,
  args: (bytes) => ({ command, path: "/file", ...more(bytes) }),
});
const claude = (command: string, input: string, find: ToolCall["find"], more: (bytes: number) => object): ToolCall => ({
  dialect: "claude",
  command,
  input,
  find,
  args: (bytes) => ({ command, path: "/memories/file", ...more(bytes) }),
});
const journals = (tool: string, input: string, more: (bytes: number) => object): ToolCall => ({
  dialect: "journal",
  command: tool,
  tool,
  input: `${manyBlocks}; ${input}`,
  find: journal,
  args: more,
});
const records = (tool: string, input: string, find: ToolCall["find"], args: (bytes: number) => object): ToolCall => ({
  dialect: "records",
  command: tool,
  tool,
  input,
  find,
  args,
});

/** A journal keeps contents and queries of at most 100,000 characters. */
const journalText = (bytes: number): string => "\n".repeat(Math.min(bytes, 100_000) - 1);

const calls: ToolCall[] = [
  unified("read", emptyLines, fileOf(newlines), () => ({})),
  unified("list", manyNames, names, () => ({ path: "/names" })),
  unified(
    "append",
    `${emptyLines}, one more of them`,
    fileOf((bytes) => newlines(bytes / 2)),
    (bytes) => ({ content: newlines(bytes / 2) }),
  ),
  unified("update", `${oneLetter}, a text nearly found everywhere`, fileOf(sameLetter), (bytes) => ({
    oldContent: nearlyEverywhere(bytes),
    content: "x",
  })),
  unified("update", `${oneLetter}, each replaced`, fileOf(sameLetter), () => ({ oldContent: "a", content: "b" })),
  unified("delete", manyNames, names, () => ({ path: "/names" })),
  claude(
    "view",
    emptyLines,
    fileOf((bytes) => newlines(bytes * 0.9)),
    () => ({}),
  ),
  claude("view", manyNames, names, () => ({ path: "/memories" })),
  claude("create", "a text of newlines", nothing, (bytes) => ({ file_text: newlines(bytes) })),
  claude("str_replace", `${oneLetter}, a text nearly found everywhere`, fileOf(sameLetter), (bytes) => ({
    old_str: nearlyEverywhere(bytes),
    new_str: "x",
  })),
  claude("str_replace", `${emptyLines}, one of them`, fileOf(newlines), () => ({ old_str: "\n", new_str: "x" })),
  claude(
    "str_replace",
    "a letter, by newlines",
    fileOf(() => "a"),
    (bytes) => ({ old_str: "a", new_str: newlines(bytes) }),
  ),
  claude(
    "insert",
    `${emptyLines}, behind the last`,
    fileOf((bytes) => newlines(bytes - 2)),
    (bytes) => ({ insert_line: bytes - 2, insert_text: "x" }),
  ),
  claude("delete", manyNames, names, () => ({ path: "/memories/names" })),
  claude("rename", manyNames, names, () => ({ old_path: "/memories/names", new_path: "/memories/moved" })),
  journals("memory_write", "a content of newlines", (bytes) => ({ key: "new", content: journalText(bytes) })),
  journals("memory_update", "a content of newlines", (bytes) => ({ key: "0000000", content: journalText(bytes / 10) })),
  journals("memory_read", "a key that is missing", () => ({ key: "missing" })),
  journals("memory_search", "a text found nowhere", (bytes) => ({ query: nearlyEverywhere(bytes) })),
  records("add_memory", "a text of newlines", nothing, (bytes) => ({ path: "file", content: newlines(bytes) })),
  records("replace_memory", emptyLines, fileOf(newlines), (bytes) => ({ path: "file", content: newlines(bytes) })),
  records("drop_memory", emptyLines, fileOf(newlines), () => ({ path: "file" })),
  records("clear_memory", manyNames, names, () => ({})),
];

export const dialectCalls: HostileCall[] = calls.map(({ dialect, command, tool: toolName, input, find, args }) => ({
  name: `${dialect}: ${command}`,
  input,
  prepare: async (ground, bytes) => {
    const tool = toolsOf(ground, dialect, await find(ground, bytes)).find(
      ({ name }) => toolName === undefined || name === toolName,
    );
    const given = args(bytes);
    return async () => tool?.invoke(given);
  },
}));

function toolsOf(
  { package: { MemoryTool }, dialects }: Ground,
  dialect: ToolCall["dialect"],
  memory: Memory,
): StructuredToolInterface[] {
  if (dialect === "unified") return [new MemoryTool({ memory })];
  if (dialect === "claude") return [dialects.createClaudeMemoryTool(memory)];
  return dialect === "journal" ? dialects.createJournalTools(memory) : dialects.createRecordTools(memory);
}
