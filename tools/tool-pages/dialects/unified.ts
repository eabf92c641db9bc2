import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const unifiedPage: DialectPage = {
  title: "The unified tool",
  introduction: `
This is one tool with five commands, for any model. It is the default: \`node.memoryTools\` contains it.

[Its options](../options.md#memorytooloptions). The answer is one JSON string with these keys, in this order: \`command\`, \`path\`, \`ok\`, then \`result\`
or \`error: { message, code }\`.`,
  end: `
[Troubleshooting](../troubleshooting.md#by-error-code) has the errors of every command. \`null\` for \`content\` or \`oldContent\` counts as left out.

No tool brings back what it deletes. A person can, if the store keeps a [history](../history.md).`,
  dialect: () => dialects.unified(),
  prepare: [
    { tool: "memory", args: { command: "append", path: "/tasks/garden", content: "water the beans\nsow kale" } },
  ],
  answerLanguage: "json",
  refusalIn: (answer) => {
    const { code, message } = (JSON.parse(answer) as { error: { code: string; message: string } }).error;
    return message.startsWith(`${code}: `) ? message : `${code}: ${message}`;
  },
  calls: [
    {
      tool: "memory",
      command: "read",
      does: "Answers the text of a file.",
      examples: [
        { command: "read", path: "/tasks/garden" },
        { command: "read", path: "/tasks/garden", fromLine: 2 },
      ],
      refusals: [
        {
          args: { command: "read", path: "/missing" },
          instead: "`list` the directory, or make the file with `append`.",
        },
        { args: { command: "read", path: "/tasks" }, instead: "Name a file in the directory." },
      ],
    },
    {
      tool: "memory",
      command: "list",
      does: "Answers the files and directories in a directory, sorted by name. The empty path is the root.",
      examples: [{ command: "list", path: "/" }],
      refusals: [
        { args: { command: "list", path: "/missing" }, instead: "`list` the directory above it." },
        { args: { command: "list", path: "/tasks/garden" }, instead: "`read` the file." },
      ],
    },
    {
      tool: "memory",
      command: "append",
      does:
        "Adds text to the end of a file. Makes the file and its directories if they are missing. Puts one newline between old and new text, " +
        "unless one is there or either text is empty.",
      examples: [{ command: "append", path: "/tasks/garden", content: "prune the roses" }],
      refusals: [
        { args: { command: "append", path: "/tasks", content: "x" }, instead: "Name a file in the directory." },
        {
          args: { command: "append", path: "/tasks/garden/beans", content: "x" },
          instead: "Choose another path: `/tasks/garden` is a file.",
        },
        {
          args: { command: "append", path: "/notes /today", content: "x" },
          instead: "Choose a name without a blank at its start or end.",
        },
        { args: { command: "append", path: "/tasks/garden" }, instead: "Give `content`." },
      ],
    },
    {
      tool: "memory",
      command: "update",
      does: "Replaces every occurrence of `oldContent` by `content`, and answers how many there were. Both are literal text.",
      examples: [
        { command: "update", path: "/tasks/garden", oldContent: "water the beans", content: "water the peas" },
      ],
      refusals: [
        {
          args: { command: "update", path: "/missing", oldContent: "a", content: "b" },
          instead: "Make the file with `append`.",
        },
        { args: { command: "update", path: "/tasks/garden", content: "b" }, instead: "Give both texts." },
        {
          args: { command: "update", path: "/tasks/garden", oldContent: "", content: "b" },
          instead: "Use `append` to add text.",
        },
      ],
    },
    {
      tool: "memory",
      command: "delete",
      does: "Removes a file, or a directory with everything below it. Answers how many files and directories it deleted. For a missing path it answers zeros.",
      examples: [{ command: "delete", path: "/tasks" }],
      refusals: [{ args: { command: "delete", path: "" }, instead: "Give a path. `/` empties the whole memory." }],
    },
  ],
};
