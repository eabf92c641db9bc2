import { findShownStart } from "../../core/search/passages.js";
import type { IndexedPassage, PassageTable } from "../../core/search/passage-table.js";
import { formatPath } from "../entries.js";
import { quoteContent } from "../fence.js";
import { type ShownLines, takeWithEnds } from "./kept-turn.js";

/** A file from which passages can be chosen. */
export interface RecalledText {
  path: string;
  content: string;
  /** Passage 0 is the path. */
  passages: PassageTable;
}

/** Begins a piece of a line that is not its start. */
const cutMark = "…";

/**
 * Passages within a limit of characters. Each file has one heading, and each run of lines the number of its first line,
 * because every character of a mark costs a character of a note.
 */
export class ChosenPassages {
  /** As in `RenderOptions`. */
  readonly #root: string;
  #room: number;
  /** The quoted passages, by their numbers. */
  readonly #chosen = new Map<RecalledText, Map<number, string>>();

  constructor(maxChars: number, root: string) {
    this.#room = maxChars;
    this.#root = root;
  }

  /** The characters that are left. */
  get room(): number {
    return this.#room;
  }

  /** Leaves at most `maxChars`. Returns the characters that it takes away. */
  withhold(maxChars: number): number {
    const withheld = Math.max(0, this.#room - maxChars);
    this.#room -= withheld;
    return withheld;
  }

  release(chars: number): void {
    this.#room += chars;
  }

  /** The number of chosen passages. */
  get total(): number {
    return Array.from(this.#chosen.values()).reduce((sum, { size }) => sum + size, 0);
  }

  /** The number of chosen passages of a file. */
  count(text: RecalledText): number {
    return this.#chosen.get(text)?.size ?? 0;
  }

  isWhole(text: RecalledText): boolean {
    return this.count(text) === text.passages.length - 1;
  }

  has(text: RecalledText, number: number): boolean {
    return this.#chosen.get(text)?.has(number) ?? false;
  }

  /** Chooses a passage if it fits. */
  add(text: RecalledText, number: number): boolean {
    const passage = text.passages.at(number);
    if (passage === undefined || this.has(text, number)) return false;
    // Quoting never shortens a text, and takes longer than this check.
    if (passage.end - passage.start > this.#room) return false;
    const quoted = quoteContent(takePassage(text, number, passage));
    const chars = this.#countChars(text, number, quoted);
    if (chars > this.#room) return false;
    this.#room -= chars;
    const chosen = this.#chosen.get(text);
    if (chosen === undefined) this.#chosen.set(text, new Map([[number, quoted]]));
    else chosen.set(number, quoted);
    return true;
  }

  /** Returns the files in the order of their first choice, with their passages in the order of lines. */
  lines(): string[] {
    return Array.from(this.#chosen, ([text, chosen]) => {
      const parts = [...chosen.keys()]
        .toSorted((a, b) => a - b)
        .map((number) => {
          const mark = this.#mark(text, number, chosen.has(number - 1));
          return mark + (chosen.get(number) ?? "").slice(quoteMark.length);
        });
      return this.#heading(text) + parts.join("");
    });
  }

  /** Returns the chosen passages as they are stored. The copies do not keep the texts of whole files in memory. */
  listShown(): ShownLines[] {
    return Array.from(this.#chosen, ([{ path, content, passages }, chosen]) => {
      const shown = [...chosen.keys()].toSorted((a, b) => a - b).flatMap((number) => passages.at(number) ?? []);
      return { path, lines: structuredClone(shown.map(({ start, end }) => takeWithEnds(content, start, end))) };
    });
  }

  /** Counts the characters that a passage adds, with those that it adds to the next one or takes from it. */
  #countChars(text: RecalledText, number: number, quoted: string): number {
    const mark = this.#mark(text, number, this.has(text, number - 1));
    const heading = this.#chosen.has(text) ? 0 : this.#heading(text).length + 1;
    const next = this.has(text, number + 1)
      ? this.#mark(text, number + 1, true).length - this.#mark(text, number + 1, false).length
      : 0;
    return heading + mark.length + quoted.length - quoteMark.length + next;
  }

  /** Returns the line above the passages of a file. */
  #heading({ path }: RecalledText): string {
    return `${formatPath(path, this.#root)}:`;
  }

  /** Returns the mark before a passage: a line end and its number, or no number after a shown passage. */
  #mark({ passages }: RecalledText, number: number, followsPrevious: boolean): string {
    const firstLine = passages.get(number, "firstLine") ?? 0;
    const lines = firstLine - (passages.get(number - 1, "lastLine") ?? 0);
    // The pieces of a long line stay apart. Reason: joined, they could become a special token that was cut in two.
    const continues = followsPrevious && (lines === 1 || lines === 2);
    return continues ? `\n${quoteMark}`.repeat(lines) : `\n${firstLine}${quoteMark}`;
  }
}

const quoteMark = "| ";

/** Takes a passage as its line shows it: with its indent, or as a piece of a line. */
function takePassage({ content, passages }: RecalledText, number: number, passage: IndexedPassage): string {
  const isPiece = number > 1 && passages.get(number - 1, "lastLine") === passage.firstLine;
  if (isPiece) return cutMark + content.slice(passage.start, passage.end);
  return content.slice(findShownStart(content, passage), passage.end);
}
