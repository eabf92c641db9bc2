import type { Requirements } from "./requirement.js";

export const claude: Requirements = {
  "claude.root-is-the-root-of-the-memory": {
    source: "specification section 10",
    says: "/memories is the root of the memory, so /memories/a.txt is /a.txt for every other way in",
  },
  "claude.root-of-the-options": {
    source: "FastMCP4J",
    says: "the root can be another path",
  },
  "claude.native-tool": {
    source: "Anthropic's memory tool documentation",
    says: "Claude is sent memory_20250818 and no schema",
  },
  "claude.flat-schema-elsewhere": {
    source: "measured: @langchain/anthropic 1.5",
    says: "other models are sent a flat schema without a top-level oneOf, which would be dropped",
  },
  "claude.answers-come-to-the-model": {
    source: "measured: @langchain/anthropic 1.5",
    says: "every answer comes to Claude as it is, without a suffix of LangChain's",
  },
  "claude.view-directory": {
    source: "Anthropic's memory tool documentation",
    says: "view of a directory lists two levels with sizes under the documented header, its own line first",
  },
  "claude.view-hides": {
    source: "Anthropic's memory tool documentation",
    says: "view leaves out hidden items and node_modules",
  },
  "claude.view-hidden-directly": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "a hidden path that is asked for directly can be viewed",
  },
  "claude.view-empty-root": {
    source: "Anthropic's memory tool documentation",
    says: "view of the empty root is a listing, not an error",
  },
  "claude.view-trailing-slash": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "view of a directory with a trailing slash doubles no slash",
  },
  "claude.view-file": {
    source: "Anthropic's memory tool documentation",
    says: "view of a file numbers its lines in six columns and a tab under the documented header",
  },
  "claude.view-final-newline": {
    source: "specification section 10",
    says: "a final newline begins no line of its own: a\\nb\\n has two lines",
  },
  "claude.view-range": {
    source: "Anthropic's memory tool documentation",
    says: "view_range is inclusive, and -1 is the end",
  },
  "claude.view-range-arrives": {
    source: "measured: @langchain/anthropic 1.5",
    says: "view_range reaches the tool, which LangChain's own wrapper drops",
  },
  "claude.view-range-refused": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "a range that is none, turned round or beyond the file is refused instead of shown as empty",
  },
  "claude.view-line-limit": {
    source: "Anthropic's memory tool documentation",
    says: "a file of more than 999,999 lines is told in the documented words",
  },
  "claude.view-missing": {
    source: "Anthropic's memory tool documentation",
    says: "view of a missing path is told without the Error prefix",
  },
  "claude.create": {
    source: "Anthropic's memory tool documentation",
    says: "create makes the file and its parents and says where",
  },
  "claude.create-file-text": {
    source: "Anthropic's memory tool documentation",
    says: "create takes file_text; content, as FastMCP4J has it, is another name for it",
  },
  "claude.create-existing": {
    source: "Anthropic's memory tool documentation",
    says: "create of what exists is refused in the documented words",
  },
  "claude.create-replaces": {
    source: "specification section 10",
    says: "create replaces where ifExists says so, but no directory",
  },
  "claude.str-replace": {
    source: "Anthropic's memory tool documentation",
    says: "str_replace answers the documented words and a numbered snippet",
  },
  "claude.str-replace-shows-what-is-stored": {
    source: "specification section 12",
    says: "the snippet of str_replace shows the text that was stored, also where a guard has changed it",
  },
  "claude.str-replace-deletes": {
    source: "Anthropic's memory tool documentation",
    says: "new_str left out deletes the text, and never writes the word undefined",
  },
  "claude.str-replace-lines": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "an old_str of several lines is found",
  },
  "claude.str-replace-literal": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "$&, $1 and regular expressions are literal text",
  },
  "claude.str-replace-not-found": {
    source: "Anthropic's memory tool documentation",
    says: "an old_str that is not there is told in the documented words",
  },
  "claude.str-replace-ambiguous": {
    source: "Anthropic's memory tool documentation",
    says: "an old_str that is there several times, on one line too, is refused with the lines",
  },
  "claude.str-replace-empty": {
    source: "FastMCP4J",
    says: "an empty old_str is refused",
  },
  "claude.str-replace-only-unique": {
    source: "Anthropic's memory tool documentation",
    says: "any text is replaced where it stands once, and at no other time",
  },
  "claude.insert": {
    source: "Anthropic's memory tool documentation",
    says: "insert puts the text after the line; 0 is the beginning",
  },
  "claude.insert-bounds": {
    source: "Anthropic's memory tool documentation",
    says: "a line outside [0, lines of the file] is refused in the documented words",
  },
  "claude.insert-bounds-ignore-final-newline": {
    source: "specification section 10",
    says: "bounds do not count a line after a final newline",
  },
  "claude.insert-keeps-final-newline": {
    source: "FastMCP4J",
    says: "insert keeps the final newline of the file, and adds none",
  },
  "claude.insert-line-is-an-integer": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "an insert_line that is missing or no integer is refused",
  },
  "claude.delete": {
    source: "Anthropic's memory tool documentation",
    says: "delete removes a file or a directory with all below it",
  },
  "claude.delete-missing": {
    source: "Anthropic's memory tool documentation",
    says: "delete of nothing is an error in the documented words",
  },
  "claude.delete-root": {
    source: "Anthropic's memory tool documentation",
    says: "the root cannot be deleted or renamed, in any spelling",
  },
  "claude.rename": {
    source: "Anthropic's memory tool documentation",
    says: "rename moves and says from where to where",
  },
  "claude.rename-never-overwrites": {
    source: "Anthropic's memory tool documentation",
    says: "rename onto what exists is refused in the documented words",
  },
  "claude.rename-impossible": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "rename into itself or below a file is told without a host path",
  },
  "claude.refusals-change-nothing": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "a refusal leaves nothing behind, no empty file and no directory",
  },
  "claude.texts-by-the-tool": {
    source: "specification section 10",
    says: "the tool returns errors as text and never throws",
  },
  "claude.errors-by-the-handlers": {
    source: "specification section 10",
    says: "the handlers throw, so that the SDK's runner marks the error and adds its prefix once",
  },
  "claude.handlers-have-codes": {
    source: "specification section 9",
    says: "what the handlers throw has a code",
  },
  "claude.no-names-of-javascript": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "toString and constructor are no commands, in the tool and in the runner",
  },
  "claude.arguments-of-any-shape": {
    source: "specification section 10",
    says: "bad arguments of any shape are answered",
  },
  "claude.null-is-left-out": {
    source: "specification section 10",
    says: "null for another command's parameter counts as left out",
  },
  "claude.paths-below-the-root": {
    source: "FastMCP4J",
    says: "a path that does not begin with the root, at a whole name, is refused",
  },
  "claude.no-traversal": {
    source: "Anthropic's memory tool documentation",
    says: "a path with a .. segment is refused by every command",
  },
  "claude.no-traversal-inside": {
    source: "specification section 10",
    says: ".. is refused even where it would stay inside",
  },
  "claude.no-encoded-traversal": {
    source: "FastMCP4J",
    says: "percent forms of .. are refused, however often encoded",
  },
  "claude.no-folded-traversal": {
    source: "specification section 10",
    says: "compatibility forms of .. are refused",
  },
  "claude.no-control-characters": {
    source: "specification section 2",
    says: "NUL and control characters in a path are refused by every command",
  },
  "claude.names-are-posix": {
    source: "specification section 10",
    says: "names are created by the rule posix, whatever the memory's own is",
  },
  "claude.spellings": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "other spellings of a path are the same file, repeated as given",
  },
  "claude.max-view-chars": {
    source: "specification section 10",
    says: "maxViewChars cuts a view after a whole line and says so; by default nothing is cut",
  },
  "claude.file-limit": {
    source: "FastMCP4J",
    says: "a file over its limit is refused with the limit",
  },
  "claude.thread-of-the-run": {
    source: "specification section 10",
    says: "the thread comes from the run, and its lack is told",
  },
  "claude.storage-failures": {
    source: "specification section 10",
    says: "a failing storage is told as an error, without its own words",
  },
  "claude.parallel-edits-land": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "all edits of one turn land, of which the SDK's own file tool loses all but one",
  },
  "claude.parallel-renames": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "of renames onto one destination one succeeds, and no file is destroyed",
  },
  "claude.parallel-creates": {
    source: "Anthropic's memory tool documentation",
    says: "of creations of one path one succeeds",
  },
  "claude.delete-racing-edit": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "a delete racing an edit leaves no file behind",
  },
  "claude.few-commands": {
    source: "specification section 4",
    says: "a command is one or two server commands",
  },
  "claude.execute-for-langchain": {
    source: "measured: @langchain/anthropic 1.5",
    says: "LangChain's own wrapper can run our tool",
  },
  "claude.options-checked": {
    source: "specification section 9",
    says: "bad options are a TypeError",
  },
  "claude.on-every-store": {
    source: "specification section 8",
    says: "the tool works on MongoDB and on a generic store",
  },
  "claude.hidden-characters": {
    source: "specification section 10",
    says: "answers show special tokens and hidden characters as escapes, which old_str and paths may repeat",
  },
};
