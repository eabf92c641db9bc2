import { closeParts, readMarks, splitLog } from "../core/search/log-parts.js";
import { compareCodeUnits } from "../core/values/text.js";

interface Part {
  text: string;
  marks: readonly string[];
  /** The parts that come right after it, because its thread goes on with them in the other log. */
  followers: Part[];
}

/**
 * Adds the parts of a conversation log to another log of the day, in order of time, each message once. The parts of a
 * thread stay together. A message that both have keeps its present text.
 * @param wanted the marks of the messages that are added. @default all
 * @returns null if a text is no log, or if both logs divide the same messages into different parts
 */
export function mergeLogs(present: string, added: string, wanted = new Set(readMarks(added))): string | null {
  const [parts, others] = [readParts(present), readParts(added)];
  if (parts === null || others === null) return null;
  const byMark = new Map(parts.flatMap((part) => part.marks.map((mark) => [mark, part] as const)));
  const own: Part[] = [];
  let before: Part | null = null;
  // The part that has a place of its own. The parts after it may follow it.
  let leader: Part | null = null;
  for (const part of others.filter(({ marks }) => marks.every((mark) => wanted.has(mark)))) {
    const known: Part | undefined = part.marks.map((mark) => byMark.get(mark)).find((each) => each !== undefined);
    if (known !== undefined) {
      if (String(known.marks) !== String(part.marks)) return null;
      if (isClosed(part)) known.text = closeParts(known.text);
      leader = known;
    } else if (leader !== null && isNext(before, part)) leader.followers.push(part);
    else {
      own.push(part);
      leader = part;
    }
    before = known ?? part;
  }
  return joinByTime(parts, own);
}

function readParts(log: string): Part[] | null {
  return splitLog(log)?.map((text) => ({ text, marks: readMarks(text), followers: [] })) ?? null;
}

/** Whether the next part of the thread follows. */
function isClosed({ text }: Part): boolean {
  return closeParts(text) === text;
}

const timeEnd = "## 00:00".length;

const getTime = ({ text }: Part): string => text.slice(0, timeEnd);
const getThread = ({ text }: Part): string => text.slice(timeEnd, text.indexOf("\n"));

/** Whether a part goes on with the thread of the part before it. */
function isNext(before: Part | null, part: Part): boolean {
  return before !== null && isClosed(before) && getThread(before) === getThread(part);
}

/** Puts each added part before the first part that is later, and does not go on with a thread. */
function joinByTime(parts: readonly Part[], added: readonly Part[]): string {
  const waiting = added.toSorted((a, b) => compareCodeUnits(getTime(a), getTime(b))).values();
  const texts: string[] = [];
  const add = (part: Part): void => void texts.push(part.text, ...part.followers.map(({ text }) => text));
  let next = waiting.next();
  for (const [index, part] of parts.entries()) {
    if (!isNext(parts[index - 1] ?? null, part))
      for (; next.done !== true && getTime(next.value) < getTime(part); next = waiting.next()) add(next.value);
    add(part);
  }
  for (; next.done !== true; next = waiting.next()) add(next.value);
  return texts.join("");
}
