import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const claudePage: DialectPage = {
  title: "Claude's memory tool",
  introduction: `
This is [Anthropic's memory tool](https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool) with its six commands, in Anthropic's documented words. \`ChatAnthropic\` sends it as \`memory_20250818\`, which Claude knows by
itself. Every other model gets the schema below.

[Its options](../options.md#claudememoryoptions). \`/memories\` is the root of the memory: programs and other tools see \`/memories/notes.txt\` as \`/notes.txt\`.
For \`@anthropic-ai/sdk\` see [dialects](../dialects.md#claude): the SDK sends refusals with \`is_error\`.

- The tool creates names by \`paths: "posix"\`, even if the memory has other \`paths\`.
- \`create\` also takes the text as \`content\` instead of \`file_text\`, as FastMCP4J's memory tool does.
- Answers show hidden characters and special tokens as escapes such as \`\\u200b\`. \`str_replace\` also accepts an \`old_str\` with these escapes.
- LangChain's own wrapper can run this tool, but drops \`view_range\`, and refuses a \`str_replace\` without \`new_str\`.`,
  end: `
## Errors of every command

- The tool refuses a path outside of \`/memories\`, and a path with \`..\`.
- The tool refuses an unknown argument, because a misspelt \`new_str\` would delete text. It ignores arguments of other commands.
- If the run has no \`thread_id\` in the scope \`perThread\`, or a limit is reached, or the storage fails, the answer is \`Error: \` and the words of
  [the memory](../troubleshooting.md#by-error-code).
- A newline at the end of a file does not start another line: \`"a\\nb\\n"\` has 2 lines.

No tool brings back what it deletes. A person can, if the store keeps a [history](../history.md).`,
  dialect: () => dialects.claude(),
  prepare: [
    {
      tool: "memory",
      args: {
        command: "create",
        path: "/memories/staging.md",
        file_text: "Port: 8443\nOwner: Ada\nOwner since: May\n",
      },
    },
  ],
  answerLanguage: "text",
  refusalIn: (answer) => answer,
  calls: [
    {
      tool: "memory",
      command: "view",
      does: "Shows the files and directories in a directory, 2 levels deep, or the numbered lines of a file.",
      examples: [
        { command: "view", path: "/memories" },
        { command: "view", path: "/memories/staging.md", view_range: [2, -1] },
      ],
      refusals: [
        {
          args: { command: "view", path: "/memories/missing.md" },
          instead: "View the directory, or `create` the file.",
        },
        { args: { command: "view", path: "/etc/passwd" }, instead: "Begin the path with `/memories`." },
        {
          args: { command: "view", path: "/memories/staging.md", view_range: [9, 12] },
          instead: "Ask for lines that the file has.",
        },
      ],
    },
    {
      tool: "memory",
      command: "create",
      does: 'Makes a file and its directories. An existing file is refused, unless the option `ifExists` is `"replace"`.',
      examples: [{ command: "create", path: "/memories/people/ada.md", file_text: "Vegetarian.\n" }],
      refusals: [
        {
          args: { command: "create", path: "/memories/staging.md", file_text: "x" },
          instead: "Use `str_replace` or `insert`.",
        },
        {
          args: { command: "create", path: "/memories/staging.md/port", file_text: "x" },
          instead: "Choose another path.",
        },
      ],
    },
    {
      tool: "memory",
      command: "str_replace",
      does: "Replaces `old_str` by `new_str`. `old_str` must be in the file exactly once. Without `new_str` the text is deleted.",
      examples: [
        { command: "str_replace", path: "/memories/staging.md", old_str: "Port: 8443", new_str: "Port: 9443" },
      ],
      refusals: [
        {
          args: { command: "str_replace", path: "/memories/staging.md", old_str: "Port: 80", new_str: "x" },
          instead: "`view` the file, and copy the text.",
        },
        {
          args: { command: "str_replace", path: "/memories/staging.md", old_str: "Owner", new_str: "x" },
          instead: "Give more of the text around it.",
        },
        {
          args: { command: "str_replace", path: "/memories/missing.md", old_str: "a", new_str: "b" },
          instead: "`create` the file.",
        },
      ],
    },
    {
      tool: "memory",
      command: "insert",
      does: "Puts lines after line `insert_line`. 0 is the beginning of the file.",
      examples: [{ command: "insert", path: "/memories/staging.md", insert_line: 1, insert_text: "TLS: yes" }],
      refusals: [
        {
          args: { command: "insert", path: "/memories/staging.md", insert_line: 10, insert_text: "x" },
          instead: "Use a line of the file.",
        },
        {
          args: { command: "insert", path: "/memories/missing.md", insert_line: 0, insert_text: "x" },
          instead: "`create` the file.",
        },
      ],
    },
    {
      tool: "memory",
      command: "delete",
      does: "Removes a file, or a directory with everything below it.",
      examples: [{ command: "delete", path: "/memories/staging.md" }],
      refusals: [
        { args: { command: "delete", path: "/memories/missing.md" }, instead: "Nothing: it is gone already." },
        { args: { command: "delete", path: "/memories" }, instead: "Delete the files and directories in it." },
      ],
    },
    {
      tool: "memory",
      command: "rename",
      does: "Moves a file or a directory. It never overwrites.",
      examples: [{ command: "rename", old_path: "/memories/staging.md", new_path: "/memories/servers/staging.md" }],
      refusals: [
        {
          args: { command: "rename", old_path: "/memories/missing.md", new_path: "/memories/a.md" },
          instead: "`view` the directory for its name.",
        },
        {
          args: { command: "rename", old_path: "/memories/staging.md", new_path: "/memories/staging.md" },
          instead: "Choose another name, or delete the other file first.",
        },
      ],
    },
  ],
};
