import type { SnapshotFile } from "../../core/memory.js";
import type { Line } from "../../core/search/lines.js";
import type { Steps } from "../../core/runtime/turns.js";
import type { EditLine, FoundFault, TidyCheck } from "../finding.js";
import { proseLines } from "../note-lines.js";
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

function* examineLines({ path, content }: SnapshotFile, elsewhere: KnownTexts): Steps<FoundFault[]> {
  const own = createTexts();
  const repeated = { exact: [] as Repeated[], near: [] as Repeated[] };
  const others = { exact: [] as Repeated[], near: [] as Repeated[] };
  for (const item of linesInContext(content)) {
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
    if (words.split(" ", minWordsElsewhere).length < minWordsElsewhere) continue;
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
 * heading. Indented lines belong to the line above them, so neither can be a duplicate. Yields null for all other lines.
 */
function* linesInContext(content: string): Generator<LineInContext | null> {
  const contexts = new Map<string, number>();
  const headings: { level: number; context: number }[] = [];
  let waiting: LineInContext | null = null;
  for (const { line, text } of proseLines(content)) {
    const [, marks, heading = ""] = /^(#{1,6})[ \t]+(.*)$/.exec(text) ?? [];
    const isIndented = /^[ \t]+\S/.test(text);
    yield isIndented ? null : waiting;
    waiting = null;
    if (marks !== undefined) {
      while ((headings.at(-1)?.level ?? 0) >= marks.length) headings.pop();
      const key = `${headings.at(-1)?.context ?? 0}\n${heading.trim()}`;
      const context = contexts.get(key) ?? contexts.size + 1;
      contexts.set(key, context);
      headings.push({ level: marks.length, context });
    } else if (!isIndented && !text.trimEnd().endsWith(":")) {
      const item = text.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/, "").trim();
      if (item !== "") waiting = { line, text: item, context: headings.at(-1)?.context ?? 0 };
    }
  }
  yield waiting;
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
