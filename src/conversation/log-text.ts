import { indentMessage } from "../core/search/log-parts.js";
import { type LogEntry, toName } from "./entries.js";

/*
 * The text of a day, made of one part for each run:
 *
 *     ## 09:05 thread-1
 *     User: Is the window seat free?
 *       I mean the one at the back.
 *     Assistant: It is.
 *     ^bcdefghi cdefghij
 *
 * The last line has the marks of up to four messages; the marks of earlier ones are on lines that begin with `~`. So
 * the text itself says which messages it has. `^` becomes `~` when the next part of the thread is put behind it, which
 * happens in the same step, so only one process can do it. No text of a message begins a line.
 */

const openLine = /^\^([a-z ]+)$/gm;

/**
 * Returns the entries that the log does not have: those after the last one that it has, and those of the last turn.
 * Null if it has none of the entries. Reason: an agent that another one has called may log its answer first.
 */
export function findNewEntries(entries: readonly LogEntry[], marks: ReadonlySet<string>): LogEntry[] | null {
  const last = entries.findLastIndex(({ mark }) => marks.has(mark));
  if (last === -1) return null;
  const turn = takeLastTurn(entries, null);
  return entries.slice(Math.min(last + 1, entries.length - turn.length)).filter(({ mark }) => !marks.has(mark));
}

/**
 * Returns the last messages of the user, and the answers to them. @param since the mark of an earlier entry to begin with
 */
export function takeLastTurn(entries: readonly LogEntry[], since: string | null): LogEntry[] {
  const first = entries.findIndex(({ mark }) => mark === since);
  if (first !== -1) return entries.slice(first);
  const user = Math.max(
    entries.findLastIndex(({ role }) => role === "user"),
    0,
  );
  return entries.slice(entries.slice(0, user).findLastIndex(({ role }) => role !== "user") + 1);
}

/** Returns the marks of the last part of the thread to which nothing was added. Null if the text has none. */
export function findEnd(entries: readonly LogEntry[], text: string): string | null {
  const own = new Set(entries.map(({ mark }) => mark));
  const open = [...text.matchAll(openLine)].map(([, marks = ""]) => marks);
  return open.findLast((marks) => marks.split(" ").some((mark) => own.has(mark))) ?? null;
}

export interface LogPart {
  time: string;
  threadId: string | undefined;
  entries: readonly LogEntry[];
  /** The marks of the messages, also of those that a guard left out of the entries. */
  marks: readonly string[];
}

/** Few, because MongoDB compares the last line at each position of the text. */
const marksOfLine = 4;

function toRows(marks: readonly string[]): string[] {
  const count = Math.ceil(marks.length / marksOfLine);
  return Array.from({ length: count }, (_, row) => marks.slice(row * marksOfLine, (row + 1) * marksOfLine).join(" "));
}

/** Returns the marks of the last line of a part. */
export function getEnd({ marks }: LogPart): string {
  return toRows(marks).at(-1) ?? "";
}

/** The line that ends the last part of a thread. */
export function formatEnd(marks: string): string {
  return `\n^${marks}\n`;
}

/** Returns the text that takes the place of `formatEnd`. */
export function formatNextPart(after: string, part: LogPart): string {
  return `\n~${after}\n${formatPart(part)}`;
}

/** Adds a part behind the part that has the marks, or at the end. */
export function addPart(text: string, after: string | null, part: LogPart): string {
  if (after === null) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${formatPart(part)}`;
  return text.replace(formatEnd(after), () => formatNextPart(after, part));
}

function formatHeading({ time, threadId = "" }: LogPart): string {
  return `## ${time} ${shortenThread(threadId)}`.trim();
}

function formatPart(part: LogPart): string {
  const heading = formatHeading(part);
  const lines = part.entries.map(({ speaker, text }) => `${speaker}: ${indentMessage(text)}`);
  const earlier = toRows(part.marks)
    .slice(0, -1)
    .map((marks) => `~${marks}`);
  return [heading, ...lines, ...earlier].join("\n") + formatEnd(getEnd(part));
}

/** The start of a UUID is enough for people. */
function shortenThread(threadId: string): string {
  return toName(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(threadId) ? threadId.slice(0, 8) : threadId);
}
