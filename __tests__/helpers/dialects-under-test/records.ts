import { parse } from "yaml";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { checkedOutcome, type DialectUnderTest, markOf, parallelLines } from "../dialect-suite.js";

export const dialectUnderTest: DialectUnderTest = {
  tools: (source) => createRecordTools(source),
  outcomeOf: (answer) => {
    const { status, error_code: code, message, ...fields } = parse(answer) as Record<string, unknown>;
    if (status === "error")
      return checkedOutcome(typeof code === "string" && typeof message === "string", fields, false, message);
    return checkedOutcome(status === "ok" && code === undefined && message === undefined, {}, true, fields);
  },
  prepare: [{ tool: "add_memory", args: { path: "project/todo", content: parallelLines } }],
  commands: {
    add_memory: { tool: "add_memory", args: { path: "project/done", content: "x" } },
    replace_memory: { tool: "replace_memory", args: { path: "project/todo", content: "x" } },
    drop_memory: { tool: "drop_memory", args: { path: "project/todo" } },
    clear_memory: { tool: "clear_memory", args: {} },
  },
  parallel: {
    add_memory: {
      call: (index) => ({ tool: "add_memory", args: { path: `project/${index}`, content: markOf(index) } }),
    },
  },
  exclusive: {
    add_memory: {
      call: (index) => ({ tool: "add_memory", args: { path: "project/new", content: markOf(index) } }),
      left: (winner) => [winner],
    },
    drop_memory: { call: () => ({ tool: "drop_memory", args: { path: "project/todo" } }), left: () => [] },
  },
  hints: {
    add_memory: { title: "Add memory", readOnly: false, destructive: false },
    replace_memory: { title: "Replace memory", readOnly: false, destructive: true },
    drop_memory: { title: "Drop memory", readOnly: false, destructive: true },
    clear_memory: { title: "Clear memory", readOnly: false, destructive: true },
  },
};
