import { dialects } from "../../../src/dialects/registry.js";
import type { DialectPage } from "../dialect-page.js";

export const journalPage: DialectPage = {
  title: "The journal's tools",
  introduction: `
These tools keep notes by key, in \`MEMORY.md\` and in a file for each day (UTC). The tools, their words and the files are those of Rust's
[agentool](https://docs.rs/agentool).

[Its options](../options.md#journaltoolsoptions). The answer is one JSON string: \`{"data":{…},"success":true}\`, or
\`{"success":false,"error":{"code","message"}}\`.`,
  end: `
## Where it differs from agentool

The answers are agentool's, byte for byte, except where agentool would lose or mix up a text:

- Contents and tags cannot forge entries. A line of a content that looks like a heading or like metadata gets a backslash (\`\\### x\`) in the file.
  Markdown and agentool show it as text. This journal returns it without the backslash.
- \`memory_update\` without \`tags\` keeps the tags. Contents keep their indentation and CRLF. Only white space at the end is removed.
- Times are compared as times. If two times are equal, the later entry comes first. A search looks at tags too. If a key has several blocks, the answer
  lists the others as \`duplicates\`.
- The tools refuse unknown, missing and bad arguments.
- Keys are NFC. An answer has at most 40,000 characters (\`maxAnswerChars\`), and \`from_line\` reads on. If it leaves out results, it adds \`total\` and \`truncated\`.
- Hand-written Markdown stays as it is: line endings, text between entries, sections after an entry without metadata.

## Files

The journal reads entries from every \`.md\` file that is not hidden and not in \`node_modules\`. It does not search text outside entries.

\`.journal\` contains a small file for each key, by which a writer reserves it. You may delete it while nobody writes a key. If you delete it during a
write, another write can take the same key. If a writer died after it reserved a key, the next write of this key waits up to 10 seconds.
A write takes three server commands, and a read takes one;
both read the whole memory.

[Troubleshooting](../troubleshooting.md#codes-of-the-journal-and-the-records) has the codes of every tool.`,
  dialect: () => dialects.journal({ clock: () => new Date("2026-01-15T10:00:00.120Z") }),
  prepare: [
    { tool: "memory_write", args: { key: "staging port", content: "8443", tags: ["staging"] } },
    {
      tool: "memory_write",
      args: { key: "team", content: "Ada runs staging.", target: "summary", tags: ["staging", "people"] },
    },
  ],
  answerLanguage: "json",
  refusalIn: (answer) => {
    const { error } = JSON.parse(answer) as { error: { code: string; message: string } };
    return `${error.code}: ${error.message}`;
  },
  calls: [
    {
      tool: "memory_write",
      does: 'Writes a note under a new key: into the file of the day, or into `MEMORY.md` with `target: "summary"`. A key is accepted once.',
      examples: [{ key: "deploy window", content: "Mondays, 10:00 to 11:00", target: "daily", tags: ["staging"] }],
      refusals: [
        { args: { key: "staging port", content: "9443" }, instead: "`memory_read` the key, then `memory_update` it." },
        { args: { key: "a\nb", content: "x" }, instead: "Use one line." },
        { args: { key: "a", content: "x", target: "weekly" }, instead: "Use `daily` or `summary`." },
        { args: { key: "a" }, instead: "Give `content`." },
      ],
    },
    {
      tool: "memory_update",
      does: "Replaces the content of a key, in the same file. Without `tags` the tags stay.",
      examples: [{ key: "staging port", content: "9443" }],
      refusals: [
        { args: { key: "production port", content: "443" }, instead: "Use `memory_write`." },
        { args: { key: "staging port" }, instead: "Give the whole new content." },
      ],
    },
    {
      tool: "memory_read",
      does: "Answers the note of a key. A note in `MEMORY.md` wins over those of days, then the newest one wins.",
      examples: [{ key: "team" }, { key: "team", from_line: 1 }],
      refusals: [{ args: { key: "production port" }, instead: "Find the key with `memory_search`." }],
    },
    {
      tool: "memory_search",
      does: "Finds notes whose key, content or tags contain the text, in upper or lower case. Notes of `MEMORY.md` come first, then the newest ones.",
      examples: [{ query: "STAGING", tags: ["people"], limit: 5 }],
      refusals: [
        { args: { query: "a", limit: 500 }, instead: "Ask for at most 100." },
        { args: { tags: ["staging"] }, instead: "Give `query`. The empty text finds every note." },
      ],
    },
  ],
};
