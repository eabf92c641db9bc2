import { isGraphBubbleUp } from "../../core/values/bubble-up.js";
import { hasCode, isRefusal, MemoryError } from "../../core/values/errors.js";
import { getFirstLineEnd } from "../../core/values/line-ends.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import type { Memory } from "../../core/memory.js";
import { shorten } from "../../core/values/text.js";
import { DialectError } from "../define-tool.js";
import { getJsonLength, takeItems, takeJson } from "../answer-bounds.js";
import type { JournalTarget } from "./arguments.js";
import { moveToEnd, serializeBlock } from "./blocks.js";
import { createJournalError, keyExists, keyNotFound } from "./errors.js";
import { dailyFile, formatInstant } from "./instants.js";
import {
  compareEntries,
  type JournalEntry,
  type JournalTree,
  journalTree,
  readEntries,
  type Resolved,
  resolve,
  summaryFile,
} from "./journal-files.js";
import { TimeSlices } from "../../core/runtime/time-slices.js";
import { Reservation, reservationFolder } from "./reservation.js";

export interface Draft {
  key: string;
  content: string;
}

const maxAttempts = 1000;

/** Number of matching blocks that are sorted at once. Sorting a hundred thousand would block the process. */
const maxSorted = 2000;

export interface Found {
  /** The first matches in order, at most as many as requested. */
  first: JournalEntry[];
  /** Number of all matches. */
  count: number;
}

/** The journal in one memory. Keys are trimmed and in NFC. */
export class Journal {
  readonly #memory: Memory;
  readonly #root: string;
  readonly #clock: () => Date;
  readonly #timeZone: string;

  constructor(memory: Memory, options: { root: string; clock: () => Date; timeZone: string }) {
    this.#memory = memory;
    this.#root = options.root;
    this.#clock = options.clock;
    this.#timeZone = options.timeZone;
  }

  /** @returns the file. @throws MEMORY_KEY_EXISTS, and errors of the memory */
  async write(draft: Draft, target: JournalTarget, tags: string[]): Promise<string> {
    const now = this.#clock();
    const file = target === "summary" ? summaryFile : dailyFile(now, this.#timeZone);
    // A root that cannot be reached is refused by the commands below.
    const tree = await this.#tree();
    const reservation = new Reservation(this.#memory, this.#root, draft.key);
    const existing = resolve(namesakes(tree.entries, draft.key));
    if (existing !== undefined) {
      // The block of the same call, which a task of a graph makes again.
      if (reservation.isRepeated(tree.reservations.get(reservation.name) ?? "")) return existing.entry.file;
      throw keyExists(draft.key);
    }
    const block = serializeBlock(
      { ...draft, at: formatInstant(now), tags },
      getFirstLineEnd(tree.texts.get(file) ?? ""),
    );
    if (!(await reservation.create())) await this.#takeOver(reservation, draft.key);
    try {
      await this.#memory.append(this.#memoryPath(file), block);
    } catch (error) {
      // After EIO or an abort the block may have been written, so the key stays reserved. A run that waits for a person
      // has written nothing.
      if (isGraphBubbleUp(error) || isRefusal(error)) await reservation.release();
      throw error;
    }
    if (reservation.isLate()) await this.#confirm(reservation, draft.key, { file, block });
    reservation.end();
    return file;
  }

  /** @param tags undefined keeps the tags of the block. @throws MEMORY_KEY_NOT_FOUND, and errors of the memory */
  async update(draft: Draft, tags: string[] | undefined): Promise<Resolved> {
    const at = formatInstant(this.#clock());
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const tree = await this.#load();
      const slices = new TimeSlices(null);
      const found = resolve(namesakes(tree.entries, draft.key));
      if (found === undefined) throw keyNotFound(draft.key, "; use memory_write to create");
      if (slices.isOver()) await slices.next();
      const { file } = found.entry;
      const change = (text: string): string => {
        const current = resolve(namesakes(readEntries(file, text), draft.key))?.entry;
        if (current === undefined) throw new BlockGone();
        return moveToEnd(text, current, { key: current.key, content: draft.content, at, tags: tags ?? current.tags });
      };
      if (await this.#replace(file, tree.texts.get(file) ?? "", change)) return found;
    }
    throw lostRace();
  }

  /** @throws MEMORY_KEY_NOT_FOUND, and errors of the memory */
  async read(key: string): Promise<Resolved> {
    const found = resolve(namesakes((await this.#load()).entries, key));
    if (found === undefined) throw keyNotFound(key);
    return found;
  }

  /** Finds the blocks that have all tags and contain the query in their key, content or tags. */
  async search(query: string, tags: string[], limit: number): Promise<Found> {
    const lowerQuery = query.toLowerCase();
    const wanted = new LiteralSearch(lowerQuery);
    const matches = (entry: JournalEntry): boolean =>
      tags.every((tag) => entry.tags.includes(tag)) &&
      (lowerQuery === "" ||
        [entry.key, entry.content, ...entry.tags].some((text) => wanted.firstIn(text.toLowerCase()) !== -1));
    const { entries } = await this.#load();
    const slices = new TimeSlices(null);
    let first: JournalEntry[] = [];
    let count = 0;
    for (const entry of entries) {
      if (matches(entry)) {
        first.push(entry);
        count += 1;
        if (first.length > maxSorted) first = first.toSorted(compareEntries).slice(0, limit);
      }
      if (slices.isOver()) await slices.next();
    }
    return { first: first.toSorted(compareEntries).slice(0, limit), count };
  }

  /** @throws MEMORY_KEY_EXISTS, and errors of the memory */
  async #takeOver(reservation: Reservation, key: string): Promise<void> {
    try {
      await this.#own(reservation, key, 0);
    } catch (error) {
      await reservation.release();
      throw error;
    }
  }

  /** Removes the block of a slow write if another writer took the key over meanwhile. @throws MEMORY_KEY_EXISTS */
  async #confirm(
    reservation: Reservation,
    key: string,
    { file, block }: { file: string; block: string },
  ): Promise<void> {
    try {
      await this.#own(reservation, key, 1);
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      await this.#memory.edit(this.#memoryPath(file), (text) => text.replace(block, ""));
      await reservation.release();
      throw error;
    }
  }

  /**
   * Waits for the block of the writer who owns the key. Takes the key over if the block does not come.
   * @param ownBlocks number of this writer's blocks with the key. @throws MEMORY_KEY_EXISTS if there are more
   */
  async #own(reservation: Reservation, key: string, ownBlocks: number): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { entries, reservations } = await this.#load();
      const text = reservations.get(reservation.name) ?? "";
      // The memory makes the append of the same call once.
      if (reservation.isRepeated(text)) return;
      if (namesakes(entries, key).length > ownBlocks) throw keyExists(key);
      // The snapshot is later than the line that took the key over, so it contains all blocks of earlier owners.
      if (reservation.isOwner(text)) return;
      if (reservation.isFree(text)) await reservation.takeOver(text);
      else await pause(attempt);
    }
    throw lostRace();
  }

  async #load(): Promise<JournalTree> {
    const tree = await this.#tree();
    if (tree.rootIsFile) throw createJournalError("MEMORY_STORAGE_ERROR", "the journal's root is a file");
    // A snapshot does not fail for a root that cannot be reached, such as a link in a folder, but `stat` throws.
    if (tree.texts.size === 0 && this.#root !== "") await this.#memory.stat(this.#root);
    return tree;
  }

  async #tree(): Promise<JournalTree> {
    const { files } = await this.#memory.snapshot();
    return journalTree(files, { root: this.#root, reservationFolder });
  }

  /**
   * Replaces the text of a file, in one command if nobody changed the text. If somebody added text before or after the
   * old text, the file still contains the old text, and the result is as if this update came first. Returns false if
   * the block is gone.
   */
  async #replace(file: string, seen: string, change: (text: string) => string): Promise<boolean> {
    const path = this.#memoryPath(file);
    try {
      if ((await this.#memory.update(path, seen, change(seen))) > 0) return true;
      await this.#memory.edit(path, change);
      return true;
    } catch (error) {
      const hasGone = error instanceof BlockGone || hasCode(error, "ENOENT");
      if (hasGone) return false;
      throw error;
    }
  }

  #memoryPath(file: string): string {
    return `${this.#root}/${file}`;
  }
}

/** Thrown inside an edit, to write nothing. */
class BlockGone extends Error {}

function namesakes(entries: readonly JournalEntry[], key: string): JournalEntry[] {
  return entries.filter(({ name }) => name === key);
}

function lostRace(): MemoryError {
  return new MemoryError("ECONFLICT", "ECONFLICT: others kept changing the same key; nothing was changed");
}

async function pause(attempt: number): Promise<void> {
  const delayMs = (0.5 + Math.random()) * Math.min(2 ** attempt * 5, 200);
  await new Promise((resolvePause) => setTimeout(resolvePause, delayMs));
}

/** A key, a time or the tags of a block that a person wrote may be as long as a file. */
const maxNameChars = 2000;
/** The names and the marks of a result. */
const resultChars = 100;

/** The facts about a block that every answer has. */
export function describeBlock({ file, key, kind, tags }: JournalEntry) {
  return { file, key: shorten(key, maxNameChars), kind, tags: takeItems(tags, maxNameChars) };
}

export function describeTime({ at }: JournalEntry): string {
  return shorten(at, maxNameChars);
}

/** Takes the first entries, as many as fit into `maxChars` of JSON. The only one is cut if it does not fit. */
export function searchPage({ first, count }: Found, maxChars: number): object {
  let room = maxChars;
  const results: { content: string; truncated?: true }[] = [];
  for (const entry of first) {
    const described = describeBlock(entry);
    room -= getJsonLength(described) + resultChars;
    const isWhole = entry.content.length <= room && getJsonLength(entry.content) <= room;
    if (!isWhole && (results.length > 0 || room <= 0)) break;
    const content = isWhole ? entry.content : takeJson(entry.content, room);
    room -= getJsonLength(content);
    results.push({ content, ...described, ...(!isWhole && { truncated: true as const }) });
  }
  return {
    ...(results.some(({ truncated }) => truncated) && { more: "memory_read shows all of a text, in parts" }),
    results,
    ...(results.length < count && { total: count, truncated: true }),
  };
}
