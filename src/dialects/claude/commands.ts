import { catchRefusal } from "../../core/values/errors.js";
import { findLines, replaceRange, setLineEnds, type TextRange } from "../../core/values/line-ends.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import type { Memory } from "../../core/memory.js";
import { getPathPrefix, ROOT } from "../../core/values/paths.js";
import { shorten } from "../../core/values/text.js";
import { runInTimeSlices, TimeSlices } from "../../core/runtime/time-slices.js";
import { describeNearest, readReplacement } from "../nearest-lines.js";
import type { ClaudeArguments } from "./arguments.js";
import {
  changedLines,
  countLines,
  insertLines,
  lineNumbersAt,
  type LineRange,
  numberedLines,
  findSnippet,
} from "./lines.js";
import { listDirectory } from "./listing.js";
import type { CheckedClaudeOptions } from "./options.js";
import { badParameter, ClaudeRefusal, echo, inWords } from "./refusal.js";

/** The arguments with which Claude calls the `memory` tool. */
export type ClaudeMemoryCommand =
  | { command: "view"; path: string; view_range?: readonly number[] | null | undefined }
  | { command: "create"; path: string; file_text: string }
  | { command: "create"; path: string; content: string }
  | { command: "str_replace"; path: string; old_str: string; new_str?: string | null | undefined }
  | { command: "insert"; path: string; insert_line: number; insert_text: string }
  | { command: "delete"; path: string }
  | { command: "rename"; old_path: string; new_path: string };

/** The `command` argument of Claude's memory tool. */
export type ClaudeCommandName = ClaudeMemoryCommand["command"];

interface Call {
  memory: Memory;
  args: ClaudeArguments;
  options: CheckedClaudeOptions;
}

/** Each command returns its answer, or throws its refusal, in the documented words. */
export const claudeCommands: Record<ClaudeCommandName, (call: Call) => Promise<string>> = {
  view,
  create,
  str_replace: replaceText,
  insert: insertText,
  delete: deletePath,
  rename,
};

const maxLines = 999_999;
const maxReportedLines = 100;
const entriesHint = "entries shown; use view_range to see the others";
/** Room for the sentences of an answer, besides the header and the lines. */
const sentenceChars = 200;

async function view({ memory, args, options }: Call): Promise<string> {
  const { given, path } = args.path("path");
  const range = args.optionalRange("view_range");
  const missing = `The path ${given} does not exist. Please provide a valid path.`;
  const text = await inWords({ ENOENT: missing }, () => textUnlessDirectory(memory, path));
  if (text === null) {
    const outline = await memory.outline();
    // The directory may have been deleted since.
    if (path !== ROOT && !outline.directories.includes(path)) throw new ClaudeRefusal("ENOENT", missing);
    const header =
      `Here're the files and directories up to 2 levels deep in ${given}, excluding hidden items and ` +
      "node_modules:";
    const listing = await runInTimeSlices(
      listDirectory(outline, path, (each) => args.shownPath(each)),
      null,
    );
    const { first, last } = range ? checkRange(range, listing.length, "listing") : { first: 1, last: listing.length };
    const shown = listing.slice(first - 1, last);
    return answerWith(header, shown, { count: shown.length, what: entriesHint, options });
  }
  const count = countLines(text);
  if (count > maxLines) {
    throw new ClaudeRefusal("EFBIG", `File ${given} exceeds maximum line limit of 999,999 lines.`);
  }
  const shown = range ? checkRange(range, count, "file") : { first: 1, last: count };
  const header = `Here's the content of ${given} with line numbers:`;
  const what = "lines shown; use view_range to see the others";
  return answerWith(header, numberedLines(text, shown), { count: countShownLines(shown), what, options });
}

/** Returns null for a directory. */
async function textUnlessDirectory(memory: Memory, path: string): Promise<string | null> {
  return path === ROOT ? null : catchRefusal(memory.read(path), "EISDIR");
}

/** Cuts a range to the lines there are. Refuses a range that shows no line. */
function checkRange([start, end]: [number, number], lineCount: number, what: "file" | "listing"): LineRange {
  const first = Math.max(start, 1);
  const last = end === -1 ? lineCount : Math.min(end, lineCount);
  const bad = (reason: string): ClaudeRefusal => badParameter("view_range", `[${start}, ${end}]. ${reason}`);
  if (end !== -1 && end < first) throw bad("Its end should be -1 or not before its start");
  if (first > Math.max(lineCount, 1))
    throw bad(`It should be within the range of lines of the ${what}: [1, ${lineCount}]`);
  return { first, last };
}

const countShownLines = ({ first, last }: LineRange): number => last - first + 1;

const linesAtOnce = 1000;

/**
 * Joins the header and as many lines as the options allow. A last line says how much was left out. Yields to other
 * work.
 */
async function answerWith(
  header: string,
  lines: Iterable<string>,
  { count, what, options }: { count: number; what: string; options: CheckedClaudeOptions },
): Promise<string> {
  const maxChars = Math.min(options.maxViewChars, Math.max(0, options.maxAnswerChars - header.length - sentenceChars));
  const slices = new TimeSlices(null);
  const parts = [header];
  let recent: string[] = [];
  let shown = 0;
  let chars = -1;
  for (const line of lines) {
    chars += line.length + 1;
    if (chars > maxChars) {
      if (shown === 0) recent.push(shorten(line, maxChars));
      recent.push(`[Truncated after ${maxChars} characters: ${shown === 0 ? "part of 1" : shown} of ${count} ${what}]`);
      break;
    }
    recent.push(line);
    shown += 1;
    if (shown % linesAtOnce !== 0) continue;
    // Joined in parts: a list of a million lines would occupy the process with garbage collection.
    parts.push(recent.join("\n"));
    recent = [];
    if (slices.isOver()) await slices.next();
  }
  return [...parts, ...recent].join("\n");
}

async function create({ memory, args, options: { ifExists } }: Call): Promise<string> {
  const { given, path } = args.path("path");
  const text = args.createdText();
  const exists = `Error: File ${given} already exists`;
  const isDirectory = ifExists === "fail" ? exists : `Error: The path ${given} is a directory`;
  await inWords({ EEXIST: exists, EISDIR: isDirectory, ENOTDIR: belowFile(given) }, () =>
    memory.write(path, text, { ifExists }),
  );
  return `File created successfully at: ${given}`;
}

async function replaceText({ memory, args, options }: Call): Promise<string> {
  const { given, path } = args.path("path");
  const oldText = args.text("old_str");
  const newText = args.optionalText("new_str") ?? "";
  if (oldText === "") throw badParameter("old_str", "it must not be empty");
  let before = "";
  let edited = "";
  let snippet: LineRange = { first: 1, last: 0 };
  const missing = `Error: The path ${given} does not exist. Please provide a valid path.`;
  const edit = (text: string): string => {
    before = text;
    const [search, replacement] = readReplacement(text, oldText, newText);
    const { start, end, text: after } = replaceRange(text, findOnly(text, search, given), replacement);
    edited = after;
    snippet = findSnippet(edited, start, end);
    return edited;
  };
  const { content: guarded, madeAt } = await inWords({ ENOENT: missing, EISDIR: missing }, () =>
    memory.edit(path, edit),
  ).catch(async (error: unknown) => {
    throw error instanceof TextMissing
      ? new ClaudeRefusal("EINVAL", error.text + (await describeNearest(before, oldText, options.maxAnswerChars)))
      : error;
  });
  if (guarded !== undefined) {
    edited = guarded;
    snippet = changedLines(before, guarded);
  }
  if (madeAt !== undefined) {
    // A task of a graph makes the call again. The new text is where it is now.
    edited = await readPresent(memory, path);
    const place = findLines(edited, newText);
    if (place !== null) snippet = findSnippet(edited, place.start, place.end);
  }
  const header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
  return answerWith(header, numberedLines(edited, snippet), {
    count: countShownLines(snippet),
    what: "lines shown",
    options,
  });
}

/** The text to replace does not occur. */
class TextMissing extends ClaudeRefusal {}

/** Returns "" if the file is gone. */
async function readPresent(memory: Memory, path: string): Promise<string> {
  return (await catchRefusal(memory.read(path))) ?? "";
}

/** Finds the only occurrence of a text. Line ends of either kind are equal. */
function findOnly(text: string, search: string, given: string): TextRange {
  const first = findLines(text, search);
  if (first === null) {
    const message = `No replacement was performed, old_str \`${echo(search)}\` did not appear verbatim in ${given}.`;
    throw new TextMissing("EINVAL", message);
  }
  const plain = setLineEnds(text, "\n");
  // Overlapping matches all count, because it is unknown which one the model meant.
  const positions = new LiteralSearch(setLineEnds(search, "\n")).placesIn(plain, maxReportedLines + 1);
  if (positions.length === 1) return first;
  const numbers = lineNumbersAt(plain, positions.slice(0, maxReportedLines));
  const lines = numbers.join(", ") + (positions.length > maxReportedLines ? ", …" : "");
  throw new ClaudeRefusal(
    "EINVAL",
    `No replacement was performed. Multiple occurrences of old_str \`${echo(search)}\` in lines: ${lines}. Please ` +
      "ensure it is unique",
  );
}

async function insertText({ memory, args }: Call): Promise<string> {
  const { given, path } = args.path("path");
  const after = args.number("insert_line");
  const addition = args.text("insert_text");
  const missing = `Error: The path ${given} does not exist`;
  await inWords({ ENOENT: missing, EISDIR: missing }, () =>
    memory.edit(path, (text) => {
      const edited = Number.isInteger(after) && after >= 0 ? insertLines(text, after, addition) : null;
      if (edited !== null) return edited;
      throw badParameter(
        "insert_line",
        `${after}. It should be within the range of lines of the file: [0, ${countLines(text)}]`,
      );
    }),
  );
  return `The file ${given} has been edited.`;
}

async function deletePath({ memory, args, options: { root } }: Call): Promise<string> {
  const { given, path } = args.path("path");
  if (path === ROOT) throw new ClaudeRefusal("EINVAL", `Error: Cannot delete the ${root} directory itself`);
  const { files, dirs } = await memory.delete(path);
  if (files + dirs === 0) throw new ClaudeRefusal("ENOENT", `Error: The path ${given} does not exist`);
  return `Successfully deleted ${given}`;
}

async function rename({ memory, args, options: { root } }: Call): Promise<string> {
  const from = args.path("old_path");
  const to = args.path("new_path");
  if (from.path === ROOT) throw new ClaudeRefusal("EINVAL", `Error: Cannot rename the ${root} directory itself`);
  const exists = `Error: The destination ${to.given} already exists`;
  if (to.path === ROOT) throw new ClaudeRefusal("EEXIST", exists);
  if (to.path.startsWith(getPathPrefix(from.path))) {
    throw new ClaudeRefusal("EINVAL", `Error: Cannot move ${from.given} into itself`);
  }
  const missing = `Error: The path ${from.given} does not exist`;
  await inWords({ ENOENT: missing, EEXIST: exists, ENOTDIR: belowFile(to.given) }, () =>
    memory.rename(from.path, to.path),
  );
  return `Successfully renamed ${from.given} to ${to.given}`;
}

const belowFile = (given: string): string => `Error: Cannot create ${given}: a parent of the path is a file`;
