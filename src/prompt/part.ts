import { mapInSteps } from "../core/runtime/lists-in-steps.js";
import { mergeSort } from "../core/runtime/sort-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { compareCodeUnits } from "../core/values/text.js";
import { formatPath, quoteContent } from "./fence.js";

/** A line that a prompt can show: the name of a file or directory, or text of a file. */
export interface PromptLine {
  /** The path, with a trailing slash for a directory. In the order of these paths, a directory precedes its files. */
  path: string;
  /** Its place among the lines of its file. 0 for the name, which replaces a shorter name. */
  number: number;
  text: string;
  /** The first and the last line of the file that the text has. 0 for a name. */
  firstLine: number;
  lastLine: number;
}

/** The shown lines of a file or directory. */
interface Shown {
  /** As in `take`. */
  block: number;
  name: string;
  /** Without the name, by their numbers. */
  lines: Map<number, PromptLine>;
}

/** The work ends after this number of lines in a row that do not fit. */
const maxMisfits = 50;

const quoteMark = "| ";

/**
 * A part of a prompt: the lines that fit within a limit of characters. A line has its number unless it follows the line
 * above it, because every character of a mark costs a character of a note.
 */
export class PromptPart {
  /** As in `RenderOptions`. */
  readonly #root: string;
  #room: number;
  readonly #shown = new Map<string, Shown>();

  constructor(maxChars: number, root: string) {
    this.#room = maxChars;
    this.#root = root;
  }

  /** The characters that are left. */
  get room(): number {
    return this.#room;
  }

  /**
   * Takes the lines that fit, the most important first, in at most `maxChars`. Returns how many it has taken.
   * @param lines null is a step without a line
   * @param block new paths are shown below those of a lower block
   */
  *take(lines: Iterable<PromptLine | null>, maxChars: number = this.#room, block = 0): Steps<number> {
    const kept = Math.max(0, this.#room - maxChars);
    let taken = 0;
    let misfits = 0;
    for (const line of lines) {
      yield;
      if (misfits >= maxMisfits) break;
      if (line === null || this.has(line)) continue;
      const isTaken = this.#takeLine(line, this.#room - kept, block);
      taken += isTaken ? 1 : 0;
      misfits = isTaken ? 0 : misfits + 1;
    }
    return taken;
  }

  /** Whether it shows a line that is not a name. */
  has({ path, number }: Pick<PromptLine, "path" | "number">): boolean {
    return this.#shown.get(path)?.lines.has(number) ?? false;
  }

  /** The number of its lines that are no names. */
  get total(): number {
    return Array.from(this.#shown.values()).reduce((sum, { lines }) => sum + lines.size, 0);
  }

  /** The number of the lines of a file, without its name. */
  count(path: string): number {
    return this.#shown.get(path)?.lines.size ?? 0;
  }

  /** Lists its lines that are no names, in no order. */
  *lines(): Generator<PromptLine> {
    for (const { lines } of this.#shown.values()) yield* lines.values();
  }

  /** Returns the numbers of the lines of a file, without its name. */
  getNumbers(path: string): number[] {
    return [...(this.#shown.get(path)?.lines.keys() ?? [])].toSorted((a, b) => a - b);
  }

  /** Renders the lines, sorted by block, path and number. */
  *render(): Steps<string[]> {
    const all = yield* mergeSort(
      [...this.#shown],
      ([a, { block }], [b, other]) => block - other.block || compareCodeUnits(a, b),
    );
    return yield* mapInSteps(all, ([, { name, lines }]) => {
      const sorted = [...lines.values()].toSorted((a, b) => a.number - b.number);
      const texts = sorted.map((line) => formatMark(line, lines.get(line.number - 1)) + line.text);
      return name + (texts.length === 0 ? "" : ":") + texts.join("");
    });
  }

  #takeLine(line: PromptLine, room: number, block: number): boolean {
    // Quoting never shortens a text, and takes longer than this check.
    if (line.number > 0 && line.text.length > room) return false;
    const text = line.number === 0 ? line.text : quoteContent(line.text).slice(quoteMark.length);
    const shown = this.#shown.get(line.path) ?? { block, name: "", lines: new Map<number, PromptLine>() };
    const chars = this.#countChars({ ...line, text }, shown);
    if (chars > room) return false;
    this.#room -= chars;
    this.#shown.set(line.path, shown);
    if (line.number === 0) shown.name = text;
    else shown.lines.set(line.number, { ...line, text });
    if (shown.name === "") shown.name = formatPath(line.path, this.#root);
    return true;
  }

  /** Counts the characters that a line adds, with those that it adds to the next one or takes from it. */
  #countChars(line: PromptLine, { name, lines }: Shown): number {
    const lineEnd = name === "" ? 1 : 0;
    if (line.number === 0) return lineEnd + line.text.length - name.length;
    const heading = lineEnd + (name === "" ? formatPath(line.path, this.#root).length : 0) + (lines.size === 0 ? 1 : 0);
    const next = lines.get(line.number + 1);
    const nextChars = next === undefined ? 0 : formatMark(next, line).length - formatMark(next, undefined).length;
    return heading + formatMark(line, lines.get(line.number - 1)).length + line.text.length + nextChars;
  }
}

/** Returns the mark before a line: a line end and its number, or no number after the line that it follows. */
function formatMark({ number, firstLine }: PromptLine, previous: PromptLine | undefined): string {
  const lastLine = number === 1 ? 0 : previous?.lastLine;
  const lines = lastLine === undefined ? 0 : firstLine - lastLine;
  // The pieces of a long line stay apart. Reason: joined, they could become a special token that was cut in two.
  return lines === 1 || lines === 2 ? `\n${quoteMark}`.repeat(lines) : `\n${firstLine}${quoteMark}`;
}
