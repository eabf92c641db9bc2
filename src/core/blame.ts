import type { BlamedLine, MemoryVersion } from "./history.js";
import type { FileLineage } from "./history-backend.js";
import type { OlderText } from "./older-text.js";

/** Compares two lists of lines: which of the older one (by index) each newer line is, or -1. */
export type MatchLines = (older: readonly string[], newer: readonly string[]) => number[];

/** A line of the text that is looked at. */
interface TracedLine {
  text: string;
  /** Where it is in the present text; -1 if it is not there any more. */
  present: number;
}

/**
 * Goes back from the present text, version by version. A version only costs what it changed and a walk over the lines before that.
 * @param matchLines where more than one piece was changed at once
 */
export function blameLines({ text, steps }: FileLineage, matchLines: MatchLines): BlamedLine[] {
  const present = text.split("\n");
  const blamed = present.map((): MemoryVersion | null => null);
  const walk = new TracedText(text, present);
  for (const { version, before } of steps) {
    if (before === "same") continue;
    const brought = before === "none" ? walk.clear() : before === null ? [] : walk.goBack(before, matchLines);
    for (const line of brought) blamed[line] = version;
    if (before === null) break;
  }
  // A newline ends a line, and no empty one follows it.
  const count = text === "" ? 0 : text.endsWith("\n") ? present.length - 1 : present.length;
  return present.slice(0, count).map((line, index) => ({ line: index + 1, text: line, version: blamed[index] ?? null }));
}

class TracedText {
  #length: number;
  readonly #lines: TracedLine[];

  constructor(text: string, lines: readonly string[]) {
    this.#length = text.length;
    this.#lines = lines.map((line, present) => ({ text: line, present }));
  }

  clear(): number[] {
    return presentOf(this.#lines);
  }

  /** @returns the lines of the present text that the older one does not have */
  goBack({ start, text, end }: OlderText, matchLines: MatchLines): number[] {
    const changedEnd = this.#length - end;
    const first = this.#lineAt(start, { line: 0, start: 0 });
    const last = this.#lineAt(changedEnd, first);
    const changed = this.#lines.slice(first.line, last.line + 1);
    // The lines in which the change begins and ends, with what of them was there before.
    const [head = "", tail = ""] = [this.#lines[first.line]?.text.slice(0, start - first.start), this.#lines[last.line]?.text.slice(changedEnd - last.start)];
    const olderLines = (head + text + tail).split("\n");
    const matches = matched(olderLines, changed.map((line) => line.text), matchLines);
    const traced: TracedLine[] = olderLines.map((line) => ({ text: line, present: -1 }));
    const brought: TracedLine[] = [];
    changed.forEach((line, index) => {
      const same = traced[matches[index] ?? -1];
      if (same === undefined) brought.push(line);
      else same.present = line.present;
    });
    this.#lines.splice(first.line, changed.length, ...traced);
    this.#length = start + text.length + end;
    return presentOf(brought);
  }

  /** The line in which an offset lies; the end of a line is part of it. */
  #lineAt(offset: number, from: LinePlace): LinePlace {
    let { line, start } = from;
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
  const found = inner.length === 0 || innerNewer.length === 0 ? innerNewer.map(() => -1) : (matchedInPlace(inner, innerNewer) ?? matchLines(inner, innerNewer));
  const shifted = found.map((index) => (index === -1 ? -1 : index + start));
  return newer.map((_, index) => {
    if (index < start) return index;
    return index >= newer.length - end ? index - newer.length + older.length : (shifted[index - start] ?? -1);
  });
}

/** For as many lines of which most are the same in their places, as after a few changes in one line each. */
function matchedInPlace(older: readonly string[], newer: readonly string[]): number[] | null {
  if (older.length !== newer.length) return null;
  const matches = newer.map((line, index) => (older[index] === line ? index : -1));
  return matches.filter((index) => index === -1).length * 2 <= newer.length ? matches : null;
}
