import type { SnapshotFile } from "../../core/memory.js";
import type { Line } from "../../core/search/lines.js";
import type { Steps } from "../../core/runtime/turns.js";
import type { EditLine, FoundFault, TidyCheck } from "../finding.js";
import { followCode, proseLines } from "../note-lines.js";
import { getPassedEnd } from "./stale-notes.js";

interface Place {
  path: string;
  line: number | null;
}

/** The places of texts, by their letters and by their words. */
interface KnownTexts {
  exact: Map<string, Place>;
  near: Map<string, Place>;
}

const createTexts = (): KnownTexts => ({ exact: new Map(), near: new Map() });

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
  const [files, lines] = [createTexts(), createTexts()];
  return function* examineFile(file) {
    yield;
    const text = file.content.trim();
    // A stale note is archived, so it cannot be the place where a repeated text stays.
    if (text === "" || getPassedEnd(text, at) !== null) return [];
    const whole = findText(files, text, foldWords(text), { path: file.path, line: null });
    // The finding of a copied file includes its lines.
    return whole === null ? yield* examineLines(file, lines) : [describeFile(whole)];
  };
};

function* examineLines(file: SnapshotFile, elsewhere: KnownTexts): Steps<FoundFault[]> {
  const { path } = file;
  const own = createTexts();
  const repeated = { exact: [] as Repeated[], near: [] as Repeated[] };
  const others = { exact: [] as Repeated[], near: [] as Repeated[] };
  for (const item of linesInContext(file)) {
    yield;
    const words = item === null ? "" : foldWords(item.text);
    if (item === null || words.length < minLineChars) continue;
    const { line, text, context } = item;
    const place = { path, line };
    const within = findText(own, `${context}\n${text}`, `${context}\n${words}`, place);
    if (within !== null) {
      repeated[within.isExact ? "exact" : "near"].push({ line, other: within.place });
      continue;
    }
    if (words.split(" ", minWordsElsewhere).length < minWordsElsewhere || relativeLink.test(text)) continue;
    const other = findText(elsewhere, text, words, place);
    if (other !== null && other.place.path !== path)
      others[other.isExact ? "exact" : "near"].push({ line, other: other.place });
  }
  return [
    ...describeLines("duplicate", repeated.exact),
    ...describeLines("duplicate", others.exact),
    ...describeLines("nearDuplicate", [...repeated.near, ...others.near]),
  ];
}

interface Repeated {
  line: number;
  other: Place;
}

interface KnownText {
  place: Place;
  isExact: boolean;
}

/** Finds an earlier text, or remembers this one. */
function findText({ exact, near }: KnownTexts, text: string, words: string, place: Place): KnownText | null {
  const same = exact.get(text);
  if (same !== undefined) return { place: same, isExact: true };
  exact.set(text, place);
  const similar = words === "" ? undefined : near.get(words);
  if (similar !== undefined) return { place: similar, isExact: false };
  near.set(words, place);
  return null;
}

/** Returns the words of a text, without case, accents and punctuation. */
function foldWords(text: string): string {
  const words = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return words.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? "";
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
  for (const { line, text } of proseLines(file)) {
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

function describeFile({ place, isExact }: KnownText): FoundFault {
  const whole = { line: null, count: 0 };
  return isExact
    ? { ...whole, kind: "duplicate", message: `the file has the same text as ${place.path}`, remedy: "delete" }
    : {
        ...whole,
        kind: "nearDuplicate",
        message: `the file has nearly the same text as ${place.path}`,
        remedy: "archive",
      };
}

/** The remedy removes the repeated lines. The first one stays. */
function describeLines(kind: "duplicate" | "nearDuplicate", repeated: readonly Repeated[]): FoundFault[] {
  const [first] = repeated;
  if (first === undefined) return [];
  const { path, line } = first.other;
  const count = repeated.length;
  const more = count === 1 ? "" : `; ${count - 1} more lines are repeated so`;
  const message = `the line repeats line ${line} of ${path}${kind === "duplicate" ? "" : " in other spelling"}${more}`;
  const removed = new Set(repeated.map((each) => each.line));
  const edit: EditLine = (text, each) => (removed.has(each) ? null : text);
  return [{ kind, line: first.line, count, message, remedy: "edit", edit }];
}
