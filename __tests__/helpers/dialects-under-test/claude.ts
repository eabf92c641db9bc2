import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { type DialectCall, type DialectUnderTest, markOf, parallelIndices, parallelLines } from "../dialect-suite.js";

const memory = (args: Record<string, unknown>): DialectCall => ({ tool: "memory", args });

const path = "/memories/notes.txt";
const claudeForms = {
  ok: /^(File created|The (memory )?file|Successfully|Here're|Here's)/,
  refused: /^(Error: |No replacement|The path)/,
};

export const dialectUnderTest: DialectUnderTest = {
  tools: (source) => [createClaudeMemoryTool(source)],
  outcomeOf: (answer) => {
    if (claudeForms.ok.test(answer)) return "ok";
    if (claudeForms.refused.test(answer)) return "refused";
    throw new Error(`not an answer of Claude's memory tool: ${answer}`);
  },
  prepare: [memory({ command: "create", path, file_text: parallelLines })],
  commands: {
    view: memory({ command: "view", path, view_range: [1, 2] }),
    create: memory({ command: "create", path: "/memories/a/b.txt", file_text: "x" }),
    str_replace: memory({ command: "str_replace", path, old_str: "[line 1]", new_str: "x" }),
    insert: memory({ command: "insert", path, insert_line: 0, insert_text: "x" }),
    delete: memory({ command: "delete", path }),
    rename: memory({ command: "rename", old_path: path, new_path: "/memories/b.txt" }),
  },
  parallel: {
    str_replace: {
      call: (index) => memory({ command: "str_replace", path, old_str: `[line ${index}]`, new_str: markOf(index) }),
    },
    insert: {
      call: (index) => memory({ command: "insert", path, insert_line: index % 3, insert_text: `${markOf(index)}\n` }),
    },
    create: {
      call: (index) => memory({ command: "create", path: `/memories/new/${index}.txt`, file_text: markOf(index) }),
    },
  },
  exclusive: {
    create: {
      call: (index) => memory({ command: "create", path: "/memories/new", file_text: markOf(index) }),
      left: (winner) => [winner],
    },
    rename: {
      before: parallelIndices.map((index) =>
        memory({ command: "create", path: `/memories/from/${index}`, file_text: markOf(index) }),
      ),
      call: (index) => memory({ command: "rename", old_path: `/memories/from/${index}`, new_path: "/memories/to" }),
      left: () => parallelIndices,
    },
    delete: { call: () => memory({ command: "delete", path }), left: () => [] },
  },
  hints: {
    memory: { title: "Memory", readOnly: false, destructive: true },
  },
};
