import { parse } from "yaml";
import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const recordsPage: DialectPage = {
  title: "The tools of records",
  introduction: `
These tools keep short texts by path, and write each text whole. No tool reads: a connector shows the records in the prompt. The tools are those that
[Dominds](https://github.com/longrun-ai/dominds/blob/main/main/tools/prompts/memory/en/tools.md) documents.

\`\`\`ts
import { MemoryNode, MongoMemoryStore } from "langgraph-mongo-memory";
import { createRecordTools } from "langgraph-mongo-memory/records";

const store = await MongoMemoryStore.fromConnString(
  "mongodb://localhost:27017/app",
);
const node = new MemoryNode({
  store,
  nodeId: "assistant",
  scope: "perThread",
});
const tools = createRecordTools(node);
const connector = node.createConnector({ content: "full" });
await store.stop(); // when your program ends
\`\`\`

[Its options](../options/node.md#recordtoolsoptions). The answer is one plain YAML mapping: \`status: ok\` with fields, or \`status: error\` with \`error_code\` and
\`message\`.

- Each call is one atomic command. If several \`add_memory\` calls on one path run at once, one succeeds. If several \`replace_memory\` calls run at once,
  the last one wins.
- A new path has letters and digits of any script, \`_\`, \`-\`, \`.\` and \`/\`, at most 255 characters. No name in it begins with \`.\`.
  \`replace_memory\` and \`drop_memory\` also reach files of any name that others wrote.
- A record is a file: programs and other tools see \`project/todo\` as \`/project/todo\`.`,
  end: `
## Errors of every tool

| code | when |
|---|---|
| \`MEMORY_INVALID_ARGUMENT\` | an argument is missing, unknown or of another type |
| \`MEMORY_PATH_INVALID\` | the path is illegal for a record |
| \`MEMORY_CONTENT_TOO_LARGE\` | the content has more than 1,000,000 bytes |
| \`MEMORY_STORAGE_ERROR\` | the memory refused or failed, in [its own words](../troubleshooting.md#by-error-code) |`,
  dialect: () => dialects.records({ clock: () => new Date("2026-01-15T10:00:00.120Z") }),
  prepare: [{ tool: "add_memory", args: { path: "project/todo", content: "buy milk" } }],
  answerLanguage: "yaml",
  refusalIn: (answer) => {
    const { error_code: code, message } = parse(answer) as { error_code: string; message: string };
    return `${code}: ${message}`;
  },
  calls: [
    {
      tool: "add_memory",
      does: "Makes a record at a path where there is none.",
      examples: [{ path: "project/done", content: "bought bread" }],
      refusals: [
        { args: { path: "project/todo", content: "x" }, instead: "Use `replace_memory`." },
        { args: { path: "/project/done", content: "x" }, instead: "Leave the first `/` out." },
        { args: { path: "project/.notes", content: "x" }, instead: "Begin each name with another character." },
        { args: { path: "project", content: "x" }, instead: "Choose another path: `project` is a folder." },
      ],
      misuse: ["Adding a second record for a change. Use `replace_memory` on the first."],
    },
    {
      tool: "replace_memory",
      does: "Replaces the whole content of a record.",
      examples: [{ path: "project/todo", content: "buy milk\nbuy bread" }],
      refusals: [
        { args: { path: "project/plan", content: "x" }, instead: "Use `add_memory`." },
        { args: { path: "project/todo" }, instead: "Give `content`." },
      ],
      misuse: ["Sending only what is new. Text that is left out is gone."],
    },
    {
      tool: "drop_memory",
      does: "Deletes one record.",
      examples: [{ path: "project/todo" }],
      refusals: [
        { args: { path: "project/plan" }, instead: "Look at the paths in the prompt." },
        { args: { path: "project" }, instead: "Drop each record in the folder." },
      ],
      misuse: ["Dropping a record to change it. `replace_memory` does it in one step."],
    },
    {
      tool: "clear_memory",
      does: "Deletes everything in the memory, and counts the files. That includes files that other tools or programs wrote.",
      examples: [{}, { reason: "The user asked me to forget everything." }],
      refusals: [{ args: { path: "project" }, instead: "Use `drop_memory` for one record." }],
      misuse: [
        "Clearing to forget one thing. No tool brings it back; a person can, if the store keeps a [history](../history.md).",
      ],
    },
  ],
};
