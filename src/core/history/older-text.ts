/**
 * A text, told by how it differs from the one that replaced it: the first `start` units of that, `text`, and its last
 * `end` units. Without `start`, `end` and `kept` it is the whole text. All are UTF-16 units.
 */
export interface OlderText {
  start: number;
  /** What differs. Of several pieces, one after another. */
  text: string;
  end: number;
  /**
   * What is the same between two pieces, from the first to the last. Three numbers each: where it belongs in `text`,
   * where it begins in the newer text, and its length. (A database reads one list of numbers faster than a list of
   * objects.)
   */
  kept?: number[] | undefined;
}

/** A part of a newer text, and what stood in its place. */
export interface ReplacedPart {
  start: number;
  end: number;
  text: string;
}

/** Less takes more room to tell than to repeat. */
const minKeptLength = 32;

export function wholeText(text: string): OlderText {
  return { start: 0, text, end: 0 };
}

export function isWhole({ start, end, kept }: OlderText): boolean {
  return start === 0 && end === 0 && kept === undefined;
}

/** Whether the newer text is this one with something added. */
export function isBeginning({ start, text, end, kept }: OlderText): boolean {
  return start > 0 && text === "" && end === 0 && kept === undefined;
}

/** In time that grows with the texts alone. Never cuts a surrogate pair, as a database stores well-formed text only. */
export function olderTextOf(older: string, newer: string): OlderText {
  const shorter = Math.min(older.length, newer.length);
  let start = sameLength(older, 0, newer, 0);
  if (isHalf(older.charCodeAt(start - 1), 0xd800) && start > 0) start -= 1;
  let end = sameLengthOfEnds(older, newer, shorter - start);
  if (end > 0 && isHalf(older.charCodeAt(older.length - end), 0xdc00)) end -= 1;
  return {
    start,
    ...piecesOf(older.slice(start, older.length - end), newer.slice(start, newer.length - end), start),
    end,
  };
}

/** Whether what it keeps of the newer text is there, in order. */
export function canBeReadBy(older: OlderText, newer: string): boolean {
  const { text, kept = [] } = older;
  const cuts = [0, ...kept.filter((_, index) => index % 3 === 0), text.length];
  const isInOrder = kept.length % 3 === 0 && cuts.every((cut, index) => cut >= (cuts[index - 1] ?? 0));
  return isInOrder && replacedParts(older, newer.length).every(({ start, end }) => start <= end);
}

export function readOlderText(older: OlderText, newer: string): string {
  const parts = replacedParts(older, newer.length);
  const kept = parts.map(({ end }, index) => newer.slice(end, parts[index + 1]?.start));
  return newer.slice(0, older.start) + parts.map(({ text }, index) => text + (kept[index] ?? "")).join("");
}

/** From the first to the last. */
export function replacedParts({ start, text, end, kept = [] }: OlderText, newerLength: number): ReplacedPart[] {
  const parts: ReplacedPart[] = [];
  let [partStart, cut] = [start, 0];
  for (let index = 0; index < kept.length; index += 3) {
    const [at = 0, keptStart = 0, length = 0] = kept.slice(index, index + 3);
    parts.push({ start: partStart, end: keptStart, text: text.slice(cut, at) });
    [partStart, cut] = [keptStart + length, at];
  }
  parts.push({ start: partStart, end: newerLength - end, text: text.slice(cut) });
  return parts;
}

interface Piece {
  start: number;
  end: number;
  newerStart: number;
  newerEnd: number;
}

/**
 * Compares line by line, in their places, so that lines changed far apart are told by themselves. Where one text has
 * more lines, all of it is one piece; to find a better answer takes time that grows with the square of the lines.
 */
function piecesOf(older: string, newer: string, newerOffset: number): Pick<OlderText, "text" | "kept"> {
  const pieces: Piece[] = [];
  let [same, newerSame] = [0, 0];
  while (same < older.length || newerSame < newer.length) {
    const length = sameLength(older, same, newer, newerSame);
    const start = startOfLine(older, same + length);
    const newerStart = newerSame + start - same;
    const [end, newerEnd] = [endOfLine(older, same + length), endOfLine(newer, newerSame + length)];
    if ((end === older.length) !== (newerEnd === newer.length)) return { text: older };
    const last = pieces.at(-1);
    if (last !== undefined && start - last.end < minKeptLength) Object.assign(last, { end, newerEnd });
    else pieces.push({ start, end, newerStart, newerEnd });
    [same, newerSame] = [end, newerEnd];
  }
  if (pieces.length < 2) return { text: older };
  let at = 0;
  const kept = pieces.slice(1).flatMap((piece, index) => {
    const before = pieces[index] ?? piece;
    at += before.end - before.start;
    return [at, newerOffset + before.newerEnd, piece.start - before.end];
  });
  return { text: pieces.map((piece) => older.slice(piece.start, piece.end)).join(""), kept };
}

/** Equal strings are found faster than equal units. */
const chunkLength = 256;

function sameLength(older: string, start: number, newer: string, newerStart: number): number {
  const longest = Math.min(older.length - start, newer.length - newerStart);
  const chunkOf = (text: string, from: number): string => text.slice(from, from + chunkLength);
  let length = 0;
  while (length + chunkLength <= longest && chunkOf(older, start + length) === chunkOf(newer, newerStart + length))
    length += chunkLength;
  while (length < longest && older.charCodeAt(start + length) === newer.charCodeAt(newerStart + length)) length += 1;
  return length;
}

function sameLengthOfEnds(older: string, newer: string, longest: number): number {
  const chunkOf = (text: string, end: number): string => text.slice(text.length - end - chunkLength, text.length - end);
  let length = 0;
  while (length + chunkLength <= longest && chunkOf(older, length) === chunkOf(newer, length)) length += chunkLength;
  while (
    length < longest &&
    older.charCodeAt(older.length - 1 - length) === newer.charCodeAt(newer.length - 1 - length)
  )
    length += 1;
  return length;
}

function startOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where its newline is, or the text ends. */
function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

function isHalf(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
