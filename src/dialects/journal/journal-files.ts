import type { SnapshotFile } from "../../core/memory.js";
import { TimeSlices } from "../../core/runtime/time-slices.js";
import { type Block, parseBlocks, parsing } from "./blocks.js";
import { compareInstants, type Instant, parseInstant } from "./instants.js";

export const summaryFile = "MEMORY.md";

export type Kind = "summary" | "daily";

/** A block and its file, relative to the journal's root. */
export interface JournalEntry extends Block {
  file: string;
  kind: Kind;
  instant: Instant;
  /** The key in NFC, because keys are compared in NFC. */
  name: string;
}

/** Whether `file` can contain blocks: a Markdown file that is not hidden and not in node_modules, as in the crate. */
export function isJournalFile(file: string): boolean {
  if (!file.endsWith(".md")) return false;
  return file.split("/").every((segment) => !segment.startsWith(".") && segment !== "node_modules");
}

/** Reads the blocks of a text. */
export function readEntries(file: string, text: string): JournalEntry[] {
  return parseBlocks(text).map((block) => toEntry(file, block));
}

function toEntry(file: string, block: Block): JournalEntry {
  // Copies each field by name, because a spread of a block takes fifty times as long.
  const { key, content, at, tags, start, end } = block;
  const kind = file === summaryFile ? "summary" : "daily";
  return { key, content, at, tags, start, end, file, kind, instant: parseInstant(at), name: key.normalize("NFC") };
}

/**
 * Orders search results. The first entry of a key is the canonical one: the summary, then the newest, then the last.
 */
export function compareEntries(a: JournalEntry, b: JournalEntry): number {
  if (a.kind !== b.kind) return a.kind === "summary" ? -1 : 1;
  const byTime = compareInstants(b.instant, a.instant);
  if (byTime !== 0) return byTime;
  if (a.file !== b.file) return a.file < b.file ? 1 : -1;
  return b.start - a.start;
}

/** The canonical block of a key, and the files of further blocks of its kind, which it hides. */
export interface Resolved {
  entry: JournalEntry;
  duplicates: string[];
}

/** The number of duplicates that are reported. */
const maxDuplicates = 10;

/** A file may be full of one key, so only the first entries are sorted. */
export function resolve(entries: readonly JournalEntry[]): Resolved | undefined {
  const first: JournalEntry[] = [];
  for (const entry of entries) {
    const last = first.at(-1);
    if (first.length > maxDuplicates && last !== undefined && compareEntries(entry, last) >= 0) continue;
    const at = first.findIndex((other) => compareEntries(entry, other) < 0);
    first.splice(at === -1 ? first.length : at, 0, entry);
    if (first.length > maxDuplicates + 1) first.pop();
  }
  const [entry, ...others] = first;
  if (entry === undefined) return undefined;
  return { entry, duplicates: others.filter(({ kind }) => kind === entry.kind).map(({ file }) => file) };
}

/** The files of the journal in one snapshot of a memory. Paths are relative to the journal's root. */
export interface JournalTree {
  /** Texts of the files that can contain blocks. */
  texts: ReadonlyMap<string, string>;
  entries: readonly JournalEntry[];
  /** Texts of the reservations, by file name. */
  reservations: ReadonlyMap<string, string>;
  /** Whether a file has the path of the root, or of a directory above the root. */
  rootIsFile: boolean;
}

/** @param place.root "" for the memory's own root, otherwise a path without a final slash */
export async function journalTree(
  files: readonly Pick<SnapshotFile, "path" | "content">[],
  { root, reservationFolder }: { root: string; reservationFolder: string },
): Promise<JournalTree> {
  const slices = new TimeSlices(null);
  const texts = new Map<string, string>();
  const reservations = new Map<string, string>();
  const entries: JournalEntry[] = [];
  let rootIsFile = false;
  for (const { path, content } of files) {
    if (path === root || root.startsWith(`${path}/`)) rootIsFile = true;
    if (!path.startsWith(`${root}/`)) continue;
    const file = path.slice(root.length + 1);
    if (file.startsWith(reservationFolder)) reservations.set(file.slice(reservationFolder.length), content);
    if (!isJournalFile(file)) continue;
    texts.set(file, content);
    for (const block of parsing(content)) {
      if (block !== undefined) entries.push(toEntry(file, block));
      if (slices.isOver()) await slices.next();
    }
  }
  return { texts, entries, reservations, rootIsFile };
}
