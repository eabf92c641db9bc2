import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { checkedOutcome, type DialectCall, type DialectUnderTest, markOf, parallelIndices } from "../dialect-suite.js";

const writing = (key: string, content: string, target = "daily"): DialectCall => ({
  tool: "memory_write",
  args: { key, content, target, tags: ["t"] },
});

export const dialectUnderTest: DialectUnderTest = {
  tools: (source) => createJournalTools(source),
  outcomeOf: (answer) => {
    const { success, data, error, ...others } = JSON.parse(answer) as Record<string, unknown>;
    const isError = error === undefined || Object.keys(error as object).toString() === "code,message";
    return checkedOutcome(isError, others, success === true, data ?? error);
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
      before: parallelIndices.map((index) => writing(`key ${index}`, "before")),
      call: (index) => ({ tool: "memory_update", args: { key: `key ${index}`, content: markOf(index) } }),
    },
  },
  exclusive: {
    memory_write: {
      call: (index) => writing("one key", markOf(index), index % 3 === 0 ? "summary" : "daily"),
      left: (winner) => [winner],
    },
  },
  hints: {
    memory_write: { title: "Memory write", readOnly: false, destructive: false },
    memory_update: { title: "Memory update", readOnly: false, destructive: true },
    memory_read: { title: "Memory read", readOnly: true, destructive: false },
    memory_search: { title: "Memory search", readOnly: true, destructive: false },
  },
};
