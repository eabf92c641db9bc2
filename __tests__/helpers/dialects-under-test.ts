import { parse } from "yaml";
import { createClaudeMemoryTool } from "../../src/dialects/claude/index.js";
import { createJournalTools } from "../../src/dialects/journal/index.js";
import { createRecordTools } from "../../src/dialects/records/index.js";
import { MemoryTool } from "../../src/dialects/unified/memory-tool.js";
import { type DialectCall, type DialectUnderTest, markOf, type Outcome, parallelCalls } from "./dialect-suite.js";

/** Every dialect; a new one is a row here. */
export function dialectsUnderTest(): [name: string, dialect: DialectUnderTest][] {
  return [
    ["unified", unified],
    ["claude", claude],
    ["journal", journal],
    ["records", records],
  ];
}

/** One line for each parallel call, which it may replace by its mark. */
const lines = Array.from({ length: parallelCalls }, (_, index) => `[line ${index}]\n`).join("");

const memory = (args: Record<string, unknown>): DialectCall => ({ tool: "memory", args });

const unified: DialectUnderTest = {
  tools: (source) => [new MemoryTool({ memory: source })],
  outcomeOf: (answer) => {
    const { command, path, ok, result, error, ...others } = JSON.parse(answer) as Record<string, unknown>;
    const isError = error === undefined || Object.keys(error as object).toString() === "message,code";
    return formOf(typeof command === "string" && typeof path === "string" && isError, others, ok === true, result ?? error);
  },
  prepare: [memory({ command: "append", path: "/notes/today", content: lines })],
  commands: {
    read: memory({ command: "read", path: "/notes/today" }),
    list: memory({ command: "list", path: "/" }),
    append: memory({ command: "append", path: "/a/b", content: "x" }),
    update: memory({ command: "update", path: "/notes/today", oldContent: "[line 1]", content: "x" }),
    delete: memory({ command: "delete", path: "/notes" }),
  },
  parallel: {
    append: { call: (index) => memory({ command: "append", path: "/notes/today", content: markOf(index) }) },
    "append that creates": { call: (index) => memory({ command: "append", path: `/new/${index}`, content: markOf(index) }) },
    update: {
      call: (index) => memory({ command: "update", path: "/notes/today", oldContent: `[line ${index}]`, content: markOf(index) }),
    },
  },
};

const path = "/memories/notes.txt";
const claudeForms = {
  ok: /^(File created|The (memory )?file|Successfully|Here're|Here's)/,
  refused: /^(Error: |No replacement|The path)/,
};

const claude: DialectUnderTest = {
  tools: (source) => [createClaudeMemoryTool(source)],
  outcomeOf: (answer) => {
    if (claudeForms.ok.test(answer)) return "ok";
    if (claudeForms.refused.test(answer)) return "refused";
    throw new Error(`not an answer of Claude's memory tool: ${answer}`);
  },
  prepare: [memory({ command: "create", path, file_text: lines })],
  commands: {
    view: memory({ command: "view", path, view_range: [1, 2] }),
    create: memory({ command: "create", path: "/memories/a/b.txt", file_text: "x" }),
    str_replace: memory({ command: "str_replace", path, old_str: "[line 1]", new_str: "x" }),
    insert: memory({ command: "insert", path, insert_line: 0, insert_text: "x" }),
    delete: memory({ command: "delete", path }),
    rename: memory({ command: "rename", old_path: path, new_path: "/memories/b.txt" }),
  },
  parallel: {
    str_replace: { call: (index) => memory({ command: "str_replace", path, old_str: `[line ${index}]`, new_str: markOf(index) }) },
    insert: { call: (index) => memory({ command: "insert", path, insert_line: index % 3, insert_text: `${markOf(index)}\n` }) },
    create: { call: (index) => memory({ command: "create", path: `/memories/new/${index}.txt`, file_text: markOf(index) }) },
  },
};

const writing = (key: string, content: string, target = "daily"): DialectCall => ({
  tool: "memory_write",
  args: { key, content, target, tags: ["t"] },
});
const journal: DialectUnderTest = {
  tools: (source) => createJournalTools(source),
  outcomeOf: (answer) => {
    const { success, data, error, ...others } = JSON.parse(answer) as Record<string, unknown>;
    const isError = error === undefined || Object.keys(error as object).toString() === "code,message";
    return formOf(isError, others, success === true, data ?? error);
  },
  prepare: [writing("a key", "what happened"), writing("summed up", "in short", "summary")],
  commands: {
    memory_write: writing("another", "x"),
    memory_update: { tool: "memory_update", args: { key: "a key", content: "x" } },
    memory_read: { tool: "memory_read", args: { key: "summed up" } },
    memory_search: { tool: "memory_search", args: { query: "happened", tags: ["t"], limit: 5 } },
  },
  parallel: {
    memory_write: { call: (index) => writing(`key ${index}`, markOf(index), index % 3 === 0 ? "summary" : "daily") },
    memory_update: {
      before: Array.from({ length: parallelCalls }, (_, index) => writing(`key ${index}`, "before")),
      call: (index) => ({ tool: "memory_update", args: { key: `key ${index}`, content: markOf(index) } }),
    },
  },
};

const records: DialectUnderTest = {
  tools: (source) => createRecordTools(source),
  outcomeOf: (answer) => {
    const { status, error_code: code, message, ...fields } = parse(answer) as Record<string, unknown>;
    if (status === "error") return formOf(typeof code === "string" && typeof message === "string", fields, false, message);
    return formOf(status === "ok" && code === undefined && message === undefined, {}, true, fields);
  },
  prepare: [{ tool: "add_memory", args: { path: "project/todo", content: lines } }],
  commands: {
    add_memory: { tool: "add_memory", args: { path: "project/done", content: "x" } },
    replace_memory: { tool: "replace_memory", args: { path: "project/todo", content: "x" } },
    drop_memory: { tool: "drop_memory", args: { path: "project/todo" } },
    clear_memory: { tool: "clear_memory", args: {} },
  },
  parallel: {
    add_memory: { call: (index) => ({ tool: "add_memory", args: { path: `project/${index}`, content: markOf(index) } }) },
  },
};

/** @param hasForm what only this dialect asks for. @param others fields that have no place. @param told what was answered. */
function formOf(hasForm: boolean, others: object, isOk: boolean, told: unknown): Outcome {
  if (!hasForm || Object.keys(others).length > 0 || told === undefined) throw new Error("an answer in another form");
  return isOk ? "ok" : "refused";
}
