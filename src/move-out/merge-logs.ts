import { closeParts, readMarks, splitLog } from "../core/search/log-parts.js";

interface Part {
  text: string;
  marks: readonly string[];
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
  let before: Part | null = null;
  for (const part of others.filter(({ marks }) => marks.every((mark) => wanted.has(mark)))) {
    const known: Part | undefined = part.marks.map((mark) => byMark.get(mark)).find((each) => each !== undefined);
    if (known === undefined) {
      const place: number = isNext(before, part) ? parts.indexOf(before) + 1 : findPlace(parts, part);
      parts.splice(place, 0, part);
    } else if (String(known.marks) !== String(part.marks)) return null;
    else if (isClosed(part)) known.text = closeParts(known.text);
    before = known ?? part;
  }
  return parts.map(({ text }) => text).join("");
}

function readParts(log: string): Part[] | null {
  return splitLog(log)?.map((text) => ({ text, marks: readMarks(text) })) ?? null;
}

/** Whether the next part of the thread follows. */
function isClosed({ text }: Part): boolean {
  return closeParts(text) === text;
}

const timeEnd = "## 00:00".length;

const getThread = ({ text }: Part): string => text.slice(timeEnd, text.indexOf("\n"));

/** Whether a part goes on with the thread of the part before it. */
function isNext(before: Part | null, part: Part): before is Part {
  return before !== null && isClosed(before) && getThread(before) === getThread(part);
}

/** Finds the first part that is later, and does not go on with a thread. */
function findPlace(parts: readonly Part[], part: Part): number {
  const getTime = ({ text }: Part): string => text.slice(0, timeEnd);
  const place = parts.findIndex(
    (each, index) => getTime(each) > getTime(part) && !isNext(parts[index - 1] ?? null, each),
  );
  return place === -1 ? parts.length : place;
}
