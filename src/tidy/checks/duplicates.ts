import type { SnapshotFile } from "../../core/memory.js";
import { foldLine, type Line, splitLines } from "../../core/search/lines.js";
import type { Steps } from "../../core/runtime/time-slices.js";
import { hashSha256 } from "../../core/values/sha256.js";
import type { FoundFault, TidyCheck } from "../finding.js";
import { followCode, proseLines } from "../note-lines.js";
import { getPassedEnd } from "./stale-notes.js";

interface Place {
  path: string;
  line: number | null;
}

/** A line of another file needs so many words to be a duplicate. Short lines mean something else in another note. */
const minWordsElsewhere = 6;

/** Shorter lines are no notes. */
const minLineChars = 3;

/** The same relative link leads elsewhere in another note. */
const relativeLink = /\]\((?![a-z][a-z0-9+.-]*:|\/)/i;

/** A line that introduces the next ones, such as `Ada:` or `**Ada**`. It is a heading below all others. */
const label = /:(?:\*\*|__)?$|^(?:\*\*|__).+(?:\*\*|__)$/;
const labelLevel = 7;

/** The line below a heading. */
const underline = /^(?:=+|-+)[ \t]*$/;

/** Rows of tables and definitions of links belong to other lines. */
const tiedLine = /\||^\[[^\]]+\]:/;

export const duplicates: TidyCheck = ({ at }) => {
  const files = new Map<string, Place>();
  const lines = new Map<string, Place>();
  return function* examineFile(file) {
    yield;
    const { path, content } = file;
    // What a stale note says should stay elsewhere.
    if (content.trim() === "" || getPassedEnd(content, at) !== null) return [];
    const digest = yield* createDigest(content);
    const whole = findText(files, digest, { path, line: null });
    // The finding of a copied file includes its lines.
    if (whole === null) return yield* examineLines(file, lines);
    return [{ kind: "duplicate", line: null, count: 0, message: `the file has the same text as ${whole.path}` }];
  };
};

/** A step hashes so many lines. */
const linesPerStep = 1000;

/** Creates a digest of what a text says: equal texts have the same one. */
function* createDigest(content: string): Steps<string> {
  let digest = "";
  let lines: string[] = [];
  for (const { text } of splitLines(content)) {
    yield;
    // A line of marks alone may say something, such as five stars.
    const line = foldLine(text) || text.trim();
    if (line !== "") lines.push(line);
    if (lines.length < linesPerStep) continue;
    digest = hashSha256([digest, ...lines].join("\n"));
    lines = [];
  }
  return hashSha256([digest, ...lines].join("\n"));
}

function* examineLines(file: SnapshotFile, elsewhere: Map<string, Place>): Steps<FoundFault[]> {
  const { path } = file;
  const own = new Map<string, Place>();
  const repeated: Repeated[] = [];
  const others: Repeated[] = [];
  for (const item of linesInContext(file)) {
    yield;
    const words = item === null ? "" : foldLine(item.text);
    if (item === null || words.length < minLineChars) continue;
    const { line, text, context } = item;
    const place = { path, line };
    const within = findText(own, `${context}\n${words}`, place);
    if (within !== null) {
      repeated.push({ line, other: within });
      continue;
    }
    if (words.split(" ", minWordsElsewhere).length < minWordsElsewhere || relativeLink.test(text)) continue;
    const other = findText(elsewhere, words, place);
    if (other !== null && other.path !== path) others.push({ line, other });
  }
  return [...describeLines(repeated), ...describeLines(others)];
}

interface Repeated {
  line: number;
  other: Place;
}

/** Finds the place of an equal text, or remembers this one. */
function findText(places: Map<string, Place>, words: string, place: Place): Place | null {
  const same = places.get(words);
  if (same === undefined) places.set(words, place);
  return same ?? null;
}

/** A line with the number of the headings above it. */
type LineInContext = Line & { context: number };

/**
 * Yields the lines that can be duplicates, without marks of lists. The same line means something else below another
 * heading. Indented lines and blocks of code belong to the line above them, so neither can be a duplicate. Yields null
 * for all other lines.
 */
function* linesInContext(file: SnapshotFile): Generator<LineInContext | null> {
  const headings = new Headings();
  let waiting: LineInContext | null = null;
  for (const prose of proseLines(file)) {
    if (prose === null) {
      yield null;
      continue;
    }
    const { line, text } = prose;
    const [, marks, heading = ""] = /^(#{1,6})[ \t]+(.*)$/.exec(text) ?? [];
    const isHeadingAbove: boolean = waiting?.line === line - 1 && underline.test(text);
    const isTied = /^[ \t]+\S/.test(text) || followCode()(text);
    yield isTied || isHeadingAbove || text.includes("|") ? null : waiting;
    const above: LineInContext | null = waiting;
    waiting = null;
    if (marks !== undefined) headings.add(marks.length, heading);
    else if (isHeadingAbove) headings.add(text.startsWith("=") ? 1 : 2, above?.text ?? "");
    else if (label.test(text.trim())) headings.add(labelLevel, text);
    else if (!isTied && !tiedLine.test(text)) {
      const item = text.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/, "").trim();
      if (item !== "") waiting = { line, text: item, context: headings.context };
    }
  }
  yield waiting;
}

/** Numbers the headings of a note. The same headings below one another have the same number. */
class Headings {
  readonly #contexts = new Map<string, number>();
  readonly #open: { level: number; context: number }[] = [];

  /** The number of the last heading. */
  get context(): number {
    return this.#open.at(-1)?.context ?? 0;
  }

  add(level: number, text: string): void {
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    const key = `${this.context}\n${text.trim()}`;
    const context = this.#contexts.get(key) ?? this.#contexts.size + 1;
    this.#contexts.set(key, context);
    this.#open.push({ level, context });
  }
}

function describeLines(repeated: readonly Repeated[]): FoundFault[] {
  const [first] = repeated;
  if (first === undefined) return [];
  const { path, line } = first.other;
  const count = repeated.length;
  const more = count === 1 ? "" : `; ${count - 1} more lines are repeated so`;
  return [{ kind: "duplicate", line: first.line, count, message: `the line repeats line ${line} of ${path}${more}` }];
}
