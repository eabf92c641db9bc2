import type { BlamedLine, MemoryVersion } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import { type OlderText, type ReplacedPart, replacedParts } from "./older-text.js";

/** Compares two lists of lines: which of the older one (by index) each newer line is, or -1. */
export type MatchLines = (older: readonly string[], newer: readonly string[]) => number[];

/** A line of the text that is looked at. */
interface TracedLine {
  text: string;
  /** Where it is in the present text; -1 if it is not there any more. */
  present: number;
}

/**
 * Goes back from the present text, version by version, until each line is told. A version only costs what it changed
 * and a walk over the lines before that.
 * @param matchLines for a piece of several lines of which some may have moved
 */
export async function blameLines({ text, steps }: FileLineage, matchLines: MatchLines): Promise<BlamedLine[]> {
  const lines = text.split("\n");
  // A newline ends a line, and no empty one follows it.
  const count = text === "" ? 0 : text.endsWith("\n") ? lines.length - 1 : lines.length;
  const blame = new Blame(new TracedText(text, lines), count, matchLines);
  for await (const some of steps) {
    if (some.some((step) => blame.goBack(step))) break;
  }
  return lines
    .slice(0, count)
    .map((line, index) => ({ line: index + 1, text: line, version: blame.versions.get(index) ?? null }));
}

class Blame {
  /** By the index of the line. */
  readonly versions = new Map<number, MemoryVersion>();
  readonly #traced: TracedText;
  readonly #count: number;
  readonly #matchLines: MatchLines;

  constructor(traced: TracedText, count: number, matchLines: MatchLines) {
    this.#traced = traced;
    this.#count = count;
    this.#matchLines = matchLines;
  }

  /** @returns whether older versions can tell nothing more */
  goBack({ version, before }: LineageStep): boolean {
    if (before === "same") return false;
    if (before === null) return true;
    const brought = before === "none" ? this.#traced.clear() : this.#traced.goBack(before, this.#matchLines);
    for (const line of brought) if (line < this.#count) this.versions.set(line, version);
    return this.versions.size === this.#count;
  }
}

class TracedText {
  #length: number;
  /** Where some of the last changes began: the next ones are often near. */
  #places: readonly LinePlace[] = [];
  readonly #lines: TracedLine[];

  constructor(text: string, lines: readonly string[]) {
    this.#length = text.length;
    this.#lines = lines.map((line, present) => ({ text: line, present }));
  }

  clear(): number[] {
    return presentOf(this.#lines);
  }

  /** @returns the lines of the present text that the older one does not have */
  goBack(older: OlderText, matchLines: MatchLines): number[] {
    const changes = this.#placed(replacedParts(older, this.#length));
    const brought: number[] = [];
    // From the last to the first, so that the places of those before stay true.
    for (const change of changes.toReversed()) {
      const count = this.#lines.length;
      for (const { present } of this.#replace(change, matchLines)) if (present !== -1) brought.push(present);
      change.lineGrowth = this.#lines.length - count;
      this.#length += growthOf(change);
    }
    this.#places = placesAfter(changes);
    return brought;
  }

  #placed(parts: readonly ReplacedPart[]): TracedChange[] {
    let near = beginning;
    return parts.map(({ start, end, text }) => {
      near = this.#lineAt(start, nearestOf(this.#places, start, near));
      return { start, end, text, place: near, lineGrowth: 0 };
    });
  }

  /** @returns the lines that were not there before */
  #replace({ start, end, text, place }: TracedChange, matchLines: MatchLines): TracedLine[] {
    const last = this.#lineAt(end, place);
    const changed = this.#lines.slice(place.line, last.line + 1);
    // The lines in which the change begins and ends, with what of them was there before.
    const [head = "", tail = ""] = [
      this.#lines[place.line]?.text.slice(0, start - place.start),
      this.#lines[last.line]?.text.slice(end - last.start),
    ];
    const olderLines = (head + text + tail).split("\n");
    const [only] = changed;
    // By far the most frequent.
    if (only !== undefined && changed.length === 1 && olderLines.length === 1)
      return this.#replaceLine(place.line, only, olderLines[0] ?? "");
    const matches = matched(
      olderLines,
      changed.map((line) => line.text),
      matchLines,
    );
    const traced: TracedLine[] = olderLines.map((line) => ({ text: line, present: -1 }));
    const brought: TracedLine[] = [];
    changed.forEach((line, index) => {
      const same = traced[matches[index] ?? -1];
      if (same === undefined) brought.push(line);
      else same.present = line.present;
    });
    replaceIn(this.#lines, place.line, changed.length, traced);
    return brought;
  }

  #replaceLine(index: number, line: TracedLine, older: string): TracedLine[] {
    if (line.text === older) return [];
    this.#lines[index] = { text: older, present: -1 };
    return [line];
  }

  /** The line in which an offset lies; the end of a line is part of it. */
  #lineAt(offset: number, from: LinePlace): LinePlace {
    let { line, start } = from;
    while (line > 0 && offset < start) {
      line -= 1;
      start -= (this.#lines[line]?.text.length ?? 0) + 1;
    }
    for (; line < this.#lines.length - 1; line += 1) {
      const end = start + (this.#lines[line]?.text.length ?? 0);
      if (offset <= end) break;
      start = end + 1;
    }
    return { line, start };
  }
}

interface LinePlace {
  line: number;
  /** Where it begins in the text. */
  start: number;
}

interface TracedChange extends ReplacedPart {
  /** Of the line in which it begins. */
  place: LinePlace;
  /** How many more lines there are without it. */
  lineGrowth: number;
}

const beginning: LinePlace = { line: 0, start: 0 };

function growthOf({ start, end, text }: ReplacedPart): number {
  return text.length - (end - start);
}

const maxPlaces = 8;

function nearestOf(places: readonly LinePlace[], offset: number, other: LinePlace): LinePlace {
  return places.reduce(
    (nearest, place) => (Math.abs(place.start - offset) < Math.abs(nearest.start - offset) ? place : nearest),
    other,
  );
}

/**
 * The places of some changes once all are taken back. A line that another change before it touches may begin elsewhere.
 */
function placesAfter(changes: readonly TracedChange[]): LinePlace[] {
  const places: LinePlace[] = [];
  let [line, start, end] = [0, 0, -1];
  for (const change of changes.slice(0, maxPlaces)) {
    if (change.place.start > end) places.push({ line: change.place.line + line, start: change.place.start + start });
    line += change.lineGrowth;
    start += growthOf(change);
    end = change.end;
  }
  return places;
}

/** `splice` takes its items as arguments, and a file can have more lines than a call can have arguments. */
function replaceIn<Item>(list: Item[], start: number, count: number, items: readonly Item[]): void {
  const rest = items.length > maxSpliced ? list.splice(start) : null;
  if (rest === null) list.splice(start, count, ...items);
  else for (const item of [items, rest.slice(count)].flat()) list.push(item);
}

const maxSpliced = 10_000;

function presentOf(lines: readonly TracedLine[]): number[] {
  return lines.flatMap(({ present }) => (present === -1 ? [] : [present]));
}

/** What is equal at both ends needs no comparison. */
function matched(older: readonly string[], newer: readonly string[], matchLines: MatchLines): number[] {
  let start = 0;
  while (start < older.length && start < newer.length && older[start] === newer[start]) start += 1;
  let end = 0;
  while (end < Math.min(older.length, newer.length) - start && older.at(-1 - end) === newer.at(-1 - end)) end += 1;
  const inner = older.slice(start, older.length - end);
  const innerNewer = newer.slice(start, newer.length - end);
  const found =
    inner.length === 0 || innerNewer.length === 0
      ? innerNewer.map(() => -1)
      : (matchedInPlace(inner, innerNewer) ?? matchLines(inner, innerNewer));
  const shifted = found.map((index) => (index === -1 ? -1 : index + start));
  return newer.map((_, index) => {
    if (index < start) return index;
    return index >= newer.length - end ? index - newer.length + older.length : (shifted[index - start] ?? -1);
  });
}

/**
 * For as many lines, as after a few changes in one line each: none of those that are not in their places has moved to
 * another.
 */
function matchedInPlace(older: readonly string[], newer: readonly string[]): number[] | null {
  if (older.length !== newer.length) return null;
  const matches = newer.map((line, index) => (older[index] === line ? index : -1));
  const gone = new Set(older.filter((_, index) => matches[index] === -1));
  return newer.some((line, index) => matches[index] === -1 && gone.has(line)) ? null : matches;
}
