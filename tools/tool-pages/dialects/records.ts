import { parse } from "yaml";
import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const recordsPage: DialectPage = {
  title: "The tools of records",
  introduction: `
These tools keep short texts by path, and write each text whole. No tool reads: a connector shows the records in the prompt. The tools are those that
[Dominds](https://github.com/longrun-ai/dominds/blob/main/main/tools/prompts/memory/en/tools.md) documents.

[Its options](../options.md#recordtoolsoptions). The answer is one plain YAML mapping: \`status: ok\` with fields, or \`status: error\` with \`error_code\` and
\`message\`.

- Each call is one atomic command. If several \`add_memory\` calls on one path run at once, one succeeds. If several \`replace_memory\` calls run at once,
  the last one wins.
- A new path has letters and digits of any script, \`_\`, \`-\`, \`.\` and \`/\`, at most 255 characters. No name in it begins with \`.\`.
  \`replace_memory\` and \`drop_memory\` also reach files of any name that others wrote.
- A record is a file: programs and other tools see \`project/todo\` as \`/project/todo\`.`,
  end: `
[Troubleshooting](../troubleshooting.md#codes-of-the-journal-and-the-records) has the codes of every tool.

No tool brings back what it deletes. A person can, if the store keeps a [history](../history.md).`,
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
    },
    {
      tool: "replace_memory",
      does: "Replaces the whole content of a record.",
      examples: [{ path: "project/todo", content: "buy milk\nbuy bread" }],
      refusals: [
        { args: { path: "project/plan", content: "x" }, instead: "Use `add_memory`." },
        { args: { path: "project/todo" }, instead: "Give `content`." },
      ],
    },
    {
      tool: "drop_memory",
      does: "Deletes one record.",
      examples: [{ path: "project/todo" }],
      refusals: [
        { args: { path: "project/plan" }, instead: "Look at the paths in the prompt." },
        { args: { path: "project" }, instead: "Drop each record in the folder." },
      ],
    },
    {
      tool: "clear_memory",
      does: "Deletes everything in the memory, and counts the files. That includes files that other tools or programs wrote.",
      examples: [{}, { reason: "The user asked me to forget everything." }],
      refusals: [{ args: { path: "project" }, instead: "Use `drop_memory` for one record." }],
    },
  ],
};
