import { addFilesTo, getAddSettings } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import { type AddedFile, type AddSettings, commitFiles, type DatedFile } from "../core/tree/add-files.js";
import { MemoryTree } from "../core/tree/memory-tree.js";
import { catchRefusal, fileTooLarge, hasCode, MemoryError } from "../core/values/errors.js";
import { hashSha256 } from "../core/values/sha256.js";
import { utf8Bytes } from "../core/values/text.js";
import type { MoveInEntry } from "./entry.js";

/** An entry that can be written. */
export interface ReadyEntry extends Omit<MoveInEntry, "shortened"> {
  at: Date;
  createdAt: Date;
  /** The day of `at`, if the source has it. */
  day: string | null;
  what: string;
  shortened: string | null;
}

export type EntryResult = AddedFile;

/** An item of a list, for a file that many entries share. */
interface ListItem {
  entry: ReadyEntry;
  /** The position of its result. */
  index: number;
  mark: string;
  text: string;
}

/** The files of one list: the next one begins when one is full. */
interface ListState {
  path: string;
  sizeBytes: number;
  exists: boolean;
  /** The marks of all items in these files. */
  marks: Set<string>;
}

/** Writes batches of entries. */
export class EntryWriter {
  readonly #memory: Memory;
  readonly #overwrite: boolean;
  readonly #settings: AddSettings;
  /** The tree that a dry run writes to. */
  readonly #copy: MemoryTree | null;
  readonly #lists = new Map<string, ListState>();

  private constructor(memory: Memory, overwrite: boolean, copy: MemoryTree | null) {
    this.#memory = memory;
    this.#overwrite = overwrite;
    this.#settings = getAddSettings(memory);
    this.#copy = copy;
  }

  static async open(
    memory: Memory,
    { overwrite, dryRun }: { overwrite: boolean; dryRun: boolean },
  ): Promise<EntryWriter> {
    return new EntryWriter(memory, overwrite, dryRun ? new MemoryTree(await memory.snapshot()) : null);
  }

  /** @returns what became of each entry. @throws the errors of the storage; then some entries may have been written */
  async write(entries: readonly ReadyEntry[]): Promise<EntryResult[]> {
    const results: EntryResult[] = entries.map(() => "unchanged");
    const lists = new Map<string, ListItem[]>();
    let files = new Map<string, { file: DatedFile; index: number }>();
    const flush = async (): Promise<void> => {
      const added = await this.#addFiles([...files.values()].map(({ file }) => file));
      for (const [at, { index }] of [...files.values()].entries()) results[index] = added[at] ?? "unchanged";
      files = new Map();
    };
    for (const [index, entry] of entries.entries()) {
      if (entry.id !== undefined) {
        const items = lists.get(entry.path) ?? [];
        items.push({ entry, index, ...formatItem(entry, entry.id) });
        lists.set(entry.path, items);
        continue;
      }
      // A change brings in each path once.
      if (files.has(entry.path)) await flush();
      const { path, content, at: updatedAt, createdAt } = entry;
      const ifExists = this.#overwrite ? "replace" : "fail";
      files.set(path, { file: { path, content, createdAt, updatedAt, ifExists }, index });
    }
    if (files.size > 0) await flush();
    for (const [path, items] of lists) await this.#addToList(path, items, results);
    return results;
  }

  async #addFiles(files: readonly DatedFile[]): Promise<AddedFile[]> {
    if (this.#copy !== null) return commitFiles(this.#copy, files, this.#settings).result;
    return addFilesTo(this.#memory, files);
  }

  async #addToList(path: string, items: readonly ListItem[], results: EntryResult[]): Promise<void> {
    const list = this.#lists.get(path) ?? (await this.#readList(path));
    this.#lists.set(path, list);
    let waiting: ListItem[] = [];
    for (const item of items) {
      if (list.marks.has(item.mark)) continue;
      const itemBytes = utf8Bytes(item.text) + 1;
      const { maxFileBytes } = this.#settings;
      if (itemBytes > maxFileBytes) {
        results[item.index] = fileTooLarge(itemBytes, maxFileBytes);
        continue;
      }
      if (list.sizeBytes + itemBytes > maxFileBytes) {
        await this.#writeItems(list, waiting, results);
        waiting = [];
        Object.assign(list, { path: nextPath(path, list.path), sizeBytes: 0, exists: false });
      }
      list.marks.add(item.mark);
      list.sizeBytes += itemBytes;
      waiting.push(item);
    }
    await this.#writeItems(list, waiting, results);
  }

  /** Writes items by one change, or one after another if a guard refuses some of them. */
  async #writeItems(list: ListState, items: readonly ListItem[], results: EntryResult[]): Promise<void> {
    if (items.length === 0) return;
    const result = await this.#append(list, items);
    if (MemoryError.isInstance(result) && items.length > 1) {
      for (const item of items) await this.#writeItems(list, [item], results);
      return;
    }
    for (const { index } of items) results[index] = result;
    if (result === "written") list.exists = true;
  }

  async #append({ path, exists }: ListState, items: readonly ListItem[]): Promise<EntryResult> {
    const content = items.map(({ text }) => text).join("\n");
    if (!exists) {
      const times = items.map(({ entry }) => entry.at.getTime());
      const [createdAt, updatedAt] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
      const [result] = await this.#addFiles([
        { path, content: `${content}\n`, createdAt, updatedAt, ifExists: "fail" },
      ]);
      return result ?? "unchanged";
    }
    if (this.#copy !== null) return "written";
    try {
      await this.#memory.append(path, `${content}\n`);
      return "written";
    } catch (error) {
      if (hasCode(error, "EACCES", "EINVAL", "EISDIR", "ENOTDIR", "EFBIG")) return error;
      throw error;
    }
  }

  async #readList(first: string): Promise<ListState> {
    const list: ListState = { path: first, sizeBytes: 0, exists: false, marks: new Set() };
    for (let path = first; ; path = nextPath(first, path)) {
      const content = await catchRefusal(this.#memory.read(path), "ENOENT", "ENOTDIR");
      if (content === null) return list;
      // Without the flag `m`, for which U+2028 ends a line too.
      for (const line of content.split("\n")) {
        const mark = line.startsWith("- ") ? /\^([0-9a-f]{12})\r?$/.exec(line)?.[1] : undefined;
        if (mark !== undefined) list.marks.add(mark);
      }
      Object.assign(list, { path, sizeBytes: utf8Bytes(content), exists: true });
    }
  }
}

/** Formats an item, with a mark of its id, so that a second run knows it. Only its first line begins with a dash. */
function formatItem({ content, day, author }: ReadyEntry, id: string): Pick<ListItem, "mark" | "text"> {
  const mark = hashSha256(id).slice(0, 12);
  const [first = "", ...rest] = content.trim().split(/\r?\n/);
  const by = author === undefined ? "" : ` (${author.replaceAll(/\s+/g, " ")})`;
  const line = `- ${day === null ? "" : `${day}: `}${first}${by} ^${mark}`;
  return { mark, text: [line, ...rest.map((each) => `  ${each}`)].join("\n") };
}

/** Returns the path of the file that follows one: `/2025-03-2.md` follows `/2025-03.md`. */
function nextPath(first: string, path: string): string {
  const stem = first.replace(/\.md$/, "");
  const number = path === first ? 1 : Number(path.slice(stem.length + 1).replace(/\.md$/, ""));
  return `${stem}-${number + 1}.md`;
}
