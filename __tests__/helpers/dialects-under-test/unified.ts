import { MemoryTool } from "../../../src/index.js";
import { checkedOutcome, type DialectCall, type DialectUnderTest, markOf, parallelLines } from "../dialect-suite.js";

const memory = (args: Record<string, unknown>): DialectCall => ({ tool: "memory", args });

export const dialectUnderTest: DialectUnderTest = {
  tools: (source) => [new MemoryTool({ memory: source })],
  outcomeOf: (answer) => {
    const { command, path, ok, result, error, ...others } = JSON.parse(answer) as Record<string, unknown>;
    const isError = error === undefined || Object.keys(error as object).toString() === "message,code";
    return checkedOutcome(
      typeof command === "string" && typeof path === "string" && isError,
      others,
      ok === true,
      result ?? error,
    );
  },
  prepare: [memory({ command: "append", path: "/notes/today", content: parallelLines })],
  commands: {
    read: memory({ command: "read", path: "/notes/today" }),
    list: memory({ command: "list", path: "/" }),
    append: memory({ command: "append", path: "/a/b", content: "x" }),
    update: memory({ command: "update", path: "/notes/today", oldContent: "[line 1]", content: "x" }),
    delete: memory({ command: "delete", path: "/notes" }),
  },
  parallel: {
    append: { call: (index) => memory({ command: "append", path: "/notes/today", content: markOf(index) }) },
    "append that creates": {
      call: (index) => memory({ command: "append", path: `/new/${index}`, content: markOf(index) }),
    },
    update: {
      call: (index) =>
        memory({ command: "update", path: "/notes/today", oldContent: `[line ${index}]`, content: markOf(index) }),
    },
  },
  exclusive: {},
  hints: {
    memory: { title: "Memory", readOnly: false, destructive: true },
  },
};
