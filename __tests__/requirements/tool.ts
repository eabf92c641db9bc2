import type { Requirements } from "./requirement.js";

export const tool: Requirements = {
  "tool.one-tool": {
    source: "server memory page",
    says: "one tool called memory takes path, command, content and oldContent; there is no tool for each command",
  },
  "tool.examples": {
    source: "server memory page",
    says: "the documented requests are answered to the letter",
  },
  "tool.key-order": {
    source: "specification section 3",
    says: "an answer has command, path, ok, then result or error, whose keys are message and code",
  },
  "tool.illegal-path-repeated": {
    source: "specification section 3",
    says: "an answer repeats an illegal path as it was given, cut where it is endless",
  },
  "tool.read-result": {
    source: "specification section 3",
    says: "read answers the content",
  },
  "tool.read-missing": {
    source: "specification section 3",
    says: "read of a missing file is ENOENT",
  },
  "tool.read-directory": {
    source: "specification section 3",
    says: "read of a directory, the root included, is EISDIR",
  },
  "tool.list-result": {
    source: "specification section 3",
    says: "list answers name and kind, file or dir, of the immediate children",
  },
  "tool.list-order": {
    source: "specification section 3",
    says: "list sorts by name in code-unit order",
  },
  "tool.list-missing": {
    source: "specification section 3",
    says: "list of a missing directory is ENOENT",
  },
  "tool.list-file": {
    source: "specification section 3",
    says: "list of a file is ENOTDIR",
  },
  "tool.append-result": {
    source: "specification section 3",
    says: "append answers status ok",
  },
  "tool.append-creates": {
    source: "specification section 3",
    says: "append creates the file and its parent directories",
  },
  "tool.append-joins": {
    source: "specification section 3",
    says: "append joins by one newline unless a side has it or is empty",
  },
  "tool.append-to-directory": {
    source: "specification section 3",
    says: "append to a directory is EISDIR",
  },
  "tool.append-below-file": {
    source: "specification section 3",
    says: "append below a file is ENOTDIR",
  },
  "tool.update-result": {
    source: "ADR memory v2",
    says: "update answers the number of replacements",
  },
  "tool.update-every-occurrence": {
    source: "specification section 3",
    says: "update replaces every occurrence, left to right, not overlapping",
  },
  "tool.update-literal": {
    source: "specification section 3",
    says: "both texts of update are literal: $&, \\1 and regular expressions mean nothing",
  },
  "tool.update-no-expressions": {
    source: "measured: MongoDB",
    says: "a text that looks like an expression of MongoDB is stored as it is",
  },
  "tool.update-none": {
    source: "specification section 3",
    says: "update without an occurrence answers 0",
  },
  "tool.update-empty": {
    source: "specification section 3",
    says: "update of an empty text is EINVAL",
  },
  "tool.update-missing": {
    source: "specification section 3",
    says: "update of a missing file is ENOENT, of a directory EISDIR",
  },
  "tool.delete-counts": {
    source: "specification section 3",
    says: "delete counts the files and directories that went, the directory itself included",
  },
  "tool.delete-whole-names": {
    source: "specification section 3",
    says: "delete of a directory leaves its neighbours whose names begin alike",
  },
  "tool.delete-missing": {
    source: "specification section 3",
    says: "delete of nothing answers zeros",
  },
  "tool.delete-root": {
    source: "specification section 3",
    says: "delete of the root empties the memory, which stays",
  },
  "tool.message-enoent": {
    source: "specification section 3",
    says: "the messages of ENOENT are file not found, and directory not found for list",
  },
  "tool.message-eisdir": {
    source: "specification section 3",
    says: "the message of EISDIR is path is a directory",
  },
  "tool.message-enotdir": {
    source: "specification section 3",
    says: "the messages of ENOTDIR are a parent of the path is a file, and path is a file for list",
  },
  "tool.message-content-required": {
    source: "specification section 3",
    says: "append without content is told content is required for append",
  },
  "tool.message-update-required": {
    source: "specification section 3",
    says: "update without a text is told oldContent and content are required for update",
  },
  "tool.message-unknown-command": {
    source: "specification section 3",
    says: "an unknown command is told by name",
  },
  "tool.message-path-required": {
    source: "specification section 3",
    says: "a missing or empty path is told path is required",
  },
  "tool.message-invalid-path": {
    source: "specification section 3",
    says: "an illegal path is told what is wrong with it: .., $ or the segment",
  },
  "tool.commands-of-javascript": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "toString, constructor and __proto__ are unknown commands",
  },
  "tool.code-efbig": {
    source: "specification section 3",
    says: "a file over its limit is EFBIG, with the limit and the size",
  },
  "tool.code-enospc": {
    source: "specification section 3",
    says: "a memory over its limit is ENOSPC, with the limit and the size",
  },
  "tool.code-eacces": {
    source: "specification section 3",
    says: "a command that this tool does not offer is EACCES and runs nothing",
  },
  "tool.code-enotmem": {
    source: "specification section 3",
    says: "a tool without a memory is ENOTMEM and says what to do",
  },
  "tool.code-eio": {
    source: "specification section 3",
    says: "a failed storage is EIO, without connection strings, host paths or stacks",
  },
  "tool.refused-changes-nothing": {
    source: "specification section 4",
    says: "a refused call leaves the file as it was",
  },
  "tool.arguments-of-any-shape": {
    source: "specification section 3",
    says: "bad arguments of any shape get an EINVAL envelope, never an exception",
  },
  "tool.no-stack-for-the-model": {
    source: "measured: LangGraph 1.7",
    says: "an agent's model sees the envelope for bad arguments, never a stack trace or a schema dump",
  },
  "tool.unknown-arguments": {
    source: "specification section 3",
    says: "an argument that the schema does not name is refused",
  },
  "tool.null-is-left-out": {
    source: "specification section 3",
    says: "null for an optional argument counts as left out",
  },
  "tool.failures-are-marked": {
    source: "measured: LangGraph 1.7",
    says: "a failed call comes back as a message of status error, a good one as success",
  },
  "tool.schema-flat-and-strict": {
    source: "specification section 3",
    says: "the model sees a strict, flat JSON schema without a top-level oneOf",
  },
  "tool.never-throws": {
    source: "specification section 3",
    says: "a tool answers whatever its storage or its source throws",
  },
  "tool.survives-wrap-tool-call": {
    source: "measured: LangGraph 1.7",
    says: "a failure does not end the run of an agent whose middleware wraps tool calls",
  },
  "tool.passes-on-interrupts": {
    source: "specification section 3",
    says: "an interrupt passes through, and the agent goes on when resumed",
  },
  "tool.passes-on-aborts": {
    source: "specification section 3",
    says: "an abort passes through, and runs nothing where it came before",
  },
  "tool.metadata": {
    source: "server memory page",
    says: "name, description and title are options; the name is memory by default",
  },
  "tool.two-tools-with-names": {
    source: "server memory page",
    says: "two memory tools with names of their own work side by side",
  },
  "tool.subset-of-commands": {
    source: "specification section 3",
    says: "a tool may offer fewer commands, and its schema and description name only those",
  },
  "tool.options-checked": {
    source: "specification section 9",
    says: "bad options of a tool are a TypeError that names the field",
  },
  "tool.source-may-change": {
    source: "public names",
    says: "the memory of a tool may be given and changed later",
  },
  "tool.source-may-be-a-function": {
    source: "public names",
    says: "the memory may be chosen by a function, which is told the run's thread and nothing else",
  },
  "tool.source-may-be-a-node": {
    source: "public names",
    says: "the memory may be that of a MemoryNode",
  },
  "tool.traced": {
    source: "measured: LangGraph 1.7",
    says: "the start and the end of a call are traced, of a failed one too",
  },
  "tool.run-without-a-config": {
    source: "measured: LangGraph 1.7",
    says: "a call inside a run that forwards no config finds the run's thread",
  },
  "tool.parallel-calls": {
    source: "reported: other memories",
    says: "all commands of a message that calls the tool many times at once are kept",
  },
  "tool.hidden-characters": {
    source: "specification section 3",
    says: "answers hold special tokens and hidden characters as escapes of JSON, and mean the same",
  },
};
