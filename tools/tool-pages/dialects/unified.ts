import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const unifiedPage: DialectPage = {
  title: "The unified tool",
  introduction: `
This is one tool with five commands, for any model. It is the default: \`node.memoryTools\` contains it.

\`\`\`ts
import {
  MemoryNode,
  MemoryTool,
  MongoMemoryStore,
} from "langgraph-mongo-memory";

const store = await MongoMemoryStore.fromConnString(
  "mongodb://localhost:27017/app",
);
const node = new MemoryNode({ store, nodeId: "assistant" });
const tools = node.memoryTools;
const readOnly = new MemoryTool({
  memory: node,
  commands: ["read", "list"],
});
await store.stop(); // when your program ends
\`\`\`

[Its options](../options/node.md#memorytooloptions). The answer is one JSON string with these keys, in this order: \`command\`, \`path\`, \`ok\`, then \`result\`
or \`error: { message, code }\`.`,
  end: `
## Errors of every command

| code | when |
|---|---|
| \`EINVAL\` | an argument is missing, unknown or illegal; or the run has no \`thread_id\` and the scope is \`perThread\` |
| \`EACCES\` | the tool does not offer the command: see \`commands\` |
| \`EFBIG\`, \`ENOSPC\` | the file or the memory would exceed its limit |
| \`ECONFLICT\` | \`update\` of a very long text lost its race 100 times |
| \`ENOTMEM\` | no memory is connected to the tool |
| \`EIO\` | the storage failed or did not answer in time |

[Troubleshooting](../troubleshooting.md#by-error-code) has the causes. \`null\` for \`content\` or \`oldContent\` counts as left out.`,
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
      takes: ["path", "fromLine?"],
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
      misuse: ["Relying on a file when the prompt shows only its path and size. Read it first."],
    },
    {
      tool: "memory",
      command: "list",
      takes: ["path"],
      does: "Answers the files and directories in a directory, sorted by name. The empty path is the root.",
      examples: [{ command: "list", path: "/" }],
      refusals: [
        { args: { command: "list", path: "/missing" }, instead: "`list` the directory above it." },
        { args: { command: "list", path: "/tasks/garden" }, instead: "`read` the file." },
      ],
      misuse: ["Expecting the whole tree. `list` shows one level: call it for each directory."],
    },
    {
      tool: "memory",
      command: "append",
      takes: ["path", "content"],
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
      misuse: [
        "Appending a corrected copy of a line. Use `update` for that.",
        "Sending the whole file again. `append` takes the new text only.",
      ],
    },
    {
      tool: "memory",
      command: "update",
      takes: ["path", "oldContent", "content"],
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
      misuse: [
        "Taking `replaced: 0` for a change. Nothing matched, and nothing was changed: `read` the file.",
        "Giving a short text that occurs in several places. All of them are replaced.",
        "Giving a pattern such as `.*`. The tool searches for exactly this text.",
      ],
    },
    {
      tool: "memory",
      command: "delete",
      takes: ["path"],
      does: "Removes a file, or a directory with everything below it. Answers how many files and directories it deleted. For a missing path it answers zeros.",
      examples: [{ command: "delete", path: "/tasks" }],
      refusals: [{ args: { command: "delete", path: "" }, instead: "Give a path. `/` empties the whole memory." }],
      misuse: [
        "Deleting a directory to remove one file of it. No tool brings it back; a person can, if the store keeps a [history](../history.md).",
      ],
    },
  ],
};
