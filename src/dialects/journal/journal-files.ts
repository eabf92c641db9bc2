import type { SnapshotFile } from "../../core/memory.js";
import { Turns } from "../../core/runtime/turns.js";
import { type Block, parseBlocks, parsing } from "./blocks.js";
import { compareInstants, type Instant, parseInstant } from "./instants.js";

export const summaryFile = "MEMORY.md";

export type Kind = "summary" | "daily";

/** A block and the file it stands in, relative to the journal's root. */
export interface JournalEntry extends Block {
  file: string;
  kind: Kind;
  instant: Instant;
  /** The key in NFC, by which keys are compared. */
  name: string;
}

/** Whether blocks are read from `file`: Markdown that is neither hidden nor a package's, as the crate finds it. */
export function isJournalFile(file: string): boolean {
  if (!file.endsWith(".md")) return false;
  return file.split("/").every((segment) => !segment.startsWith(".") && segment !== "node_modules");
}

const maxCachedChars = 8_000_000;

/** Remembers how texts parse, so that a search parses only what has changed since the last one. */
export class BlockReader {
  readonly #parsed = new Map<string, JournalEntry[]>();
  #cachedChars = 0;

  read(file: string, text: string): readonly JournalEntry[] {
    const id = createId(file, text);
    return (
      this.#get(id) ??
      this.#set(
        id,
        parseBlocks(text).map((block) => toEntry(file, block)),
      )
    );
  }

  /** The same, in turns with others. */
  async readInTurns(file: string, text: string, turns: Turns): Promise<readonly JournalEntry[]> {
    const id = createId(file, text);
    const known = this.#get(id);
    if (known !== undefined) return known;
    const entries: JournalEntry[] = [];
    for (const block of parsing(text)) {
      if (block !== undefined) entries.push(toEntry(file, block));
      if (turns.isOver()) await turns.next();
    }
    return this.#set(id, entries);
  }

  #get(id: string): JournalEntry[] | undefined {
    const known = this.#parsed.get(id);
    // The last one used stays longest.
    return known && this.#set(id, known);
  }

  #set(id: string, entries: JournalEntry[]): JournalEntry[] {
    if (!this.#parsed.delete(id)) this.#cachedChars += id.length;
    this.#parsed.set(id, entries);
    for (const oldest of this.#parsed.keys()) {
      if (this.#cachedChars <= maxCachedChars) break;
      this.#parsed.delete(oldest);
      this.#cachedChars -= oldest.length;
    }
    return entries;
  }
}

function createId(file: string, text: string): string {
  return `${file}\n${text}`;
}

function toEntry(file: string, block: Block): JournalEntry {
  // Each field by itself: to spread a block takes fifty times as long.
  const { key, content, at, tags, start, end } = block;
  const kind = file === summaryFile ? "summary" : "daily";
  return { key, content, at, tags, start, end, file, kind, instant: parseInstant(at), name: key.normalize("NFC") };
}

/** The order of a search, whose first entry is the canonical one of a key: summary, then the newest, then the last. */
export function compareEntries(a: JournalEntry, b: JournalEntry): number {
  if (a.kind !== b.kind) return a.kind === "summary" ? -1 : 1;
  const byTime = compareInstants(b.instant, a.instant);
  if (byTime !== 0) return byTime;
  if (a.file !== b.file) return a.file < b.file ? 1 : -1;
  return b.start - a.start;
}

/** The block that counts for a key, and the files of further blocks of its kind, which it hides. */
export interface Resolved {
  entry: JournalEntry;
  duplicates: string[];
}

export function resolve(entries: readonly JournalEntry[]): Resolved | undefined {
  const [entry, ...others] = entries.toSorted(compareEntries);
  if (entry === undefined) return undefined;
  return { entry, duplicates: others.filter(({ kind }) => kind === entry.kind).map(({ file }) => file) };
}

/** The journal's part of a memory at one moment; paths are relative to its root. */
export interface JournalTree {
  /** Texts of the files that blocks are read from. */
  texts: ReadonlyMap<string, string>;
  entries: readonly JournalEntry[];
  /** Texts of the reservations, by the name of the file. */
  reservations: ReadonlyMap<string, string>;
  /** Whether a file is in the place of the root, or of a directory above it. */
  rootIsFile: boolean;
}

/** @param place.root "" for the memory's own root, else a path without a slash at its end */
export async function journalTree(
  files: readonly Pick<SnapshotFile, "path" | "content">[],
  { root, reservationFolder }: { root: string; reservationFolder: string },
  reader: BlockReader,
): Promise<JournalTree> {
  const turns = new Turns(null);
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
    // Not by a spread, which takes some 100,000 at most, nor by `flat`, which takes three times as long.
    for (const entry of await reader.readInTurns(file, content, turns)) entries.push(entry);
  }
  return { texts, entries, reservations, rootIsFile };
}
