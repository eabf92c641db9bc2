import { takeStart } from "../values/text.js";
import { logMarks } from "./passages.js";

/** A longer text of a message is cut, and says by how much. */
export const maxMessageChars = 20_000;

/** Returns the text of a message that a log keeps. */
export function shortenMessage(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxMessageChars) return trimmed;
  const start = takeStart(trimmed, maxMessageChars);
  return `${start} [${trimmed.length - start.length} more characters]`;
}

/** Indents further lines, so that no text of a message begins a line. */
export function indentMessage(text: string): string {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join("\n  ");
}

const marksLine = new RegExp(`^(${logMarks})\\r?$`, "gm");

/** Returns the marks of all messages in the text of a conversation log. */
export function readMarks(text: string): string[] {
  return [...text.matchAll(marksLine)].flatMap(([, marks = ""]) => marks.slice(1).split(" "));
}

/**
 * Cuts the parts that a change added to a conversation log, and keeps later parts.
 * @param before the text before the change
 * @param after the text right after the change
 * @returns null if the change did something else, or if these parts have changed since
 */
export function cutLogParts(before: string, after: string, present: string): string | null {
  const earlier = new Set(readMarks(before));
  const added = new Set(readMarks(after).filter((mark) => !earlier.has(mark)));
  const isAdded = (part: string): boolean => readMarks(part).some((mark) => added.has(mark));
  const isOther = (part: string): boolean => !isAdded(part);
  const addsOnlyParts = closeParts(takeParts(after, isOther)) === closeParts(before);
  const isUnchanged = closeParts(takeParts(present, isAdded)) === closeParts(takeParts(after, isAdded));
  return added.size > 0 && addsOnlyParts && isUnchanged ? takeParts(present, isOther) : null;
}

/** Each part begins with a heading. No text of a message begins a line. */
const partStart = /^(?=## \d\d:\d\d)/m;

function takeParts(text: string, isTaken: (part: string) => boolean): string {
  return text.split(partStart).filter(isTaken).join("");
}

/** Makes parts equal that differ only in whether the next part of their thread follows. */
function closeParts(text: string): string {
  return text.replaceAll(marksLine, (line) => `~${line.slice(1)}`);
}
