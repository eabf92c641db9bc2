import { takeStart } from "../values/text.js";

/** A longer text of a message is cut, and says by how much. */
const maxMessageChars = 20_000;

/** Returns the text of a message that a log keeps. */
export function shortenMessage(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxMessageChars) return trimmed;
  const start = takeStart(trimmed, maxMessageChars);
  return `${start} [${trimmed.length - start.length} more characters]`;
}

/** Below each message, a log has a line that identifies the message (ADR 0064). */
const mark = String.raw`\^([a-z]{8})`;
const markLine = new RegExp(String.raw`^${mark}\r?$\n?`, "gm");
const wholeMark = new RegExp(`^${mark}$`);

/** Whether a line without its line end is a mark of a log. */
export function isLogMark(line: string): boolean {
  return wholeMark.test(line);
}

/** Returns the marks of all messages in the text of a log. */
export function readLogMarks(text: string): string[] {
  return [...text.matchAll(markLine)].map(([, letters = ""]) => letters);
}

/** Returns the text of a log without its lines of marks. */
export function removeLogMarks(text: string): string {
  return text.replaceAll(markLine, "");
}

/** A mark that is not below a message. Marks above the first heading are of messages in an earlier file. */
const refusedMark = /(?<=^(?:## .*|\^[a-z]{8})\r?\n)\^[a-z]{8}(?=\r?$)/gm;

/** Counts the messages of a log that a guard has refused: only their marks are there. */
export function countRefusedMessages(text: string): number {
  const first = text.search(/^## /m);
  return first === -1 ? 0 : Array.from(text.slice(first).matchAll(refusedMark)).length;
}

const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * Returns the lines of a message in a log. Each begins with the speaker, so that no line passes for another speaker's,
 * and none loses who said it. Blank lines stay blank.
 * @param role begins all lines after the first. A name is in the first line alone, because a redaction must find a text
 *   of several lines without knowing the names
 */
export function toLogLines(text: string, speaker: string, role: LogRole): string[] {
  return text
    .split(lineEnd)
    .map((line, index) => (line.trim() === "" ? "" : `${index === 0 ? speaker : role}: ${line}`));
}

/** The words with which the lines of a log begin. */
export const logRoles = { user: "User", assistant: "Assistant" } as const;
export type LogRole = (typeof logRoles)[keyof typeof logRoles];

/** Returns a text of several lines as a log contains it, from the middle of its first line on. */
export function toLoggedText(text: string, role: LogRole): string {
  const [, ...rest] = toLogLines(text, "", role);
  const [first = ""] = text.split(lineEnd);
  return [first, ...rest].join("\n");
}
