import { isGraphBubbleUp } from "../../core/values/bubble-up.js";
import { MemoryError } from "../../core/values/errors.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import type { FoundText, Memory, MemorySnapshot } from "../../core/memory.js";
import { shorten } from "../../core/values/text.js";
import { limits, type Target } from "./arguments.js";
import { lineBreakOf, moveToEnd, serializeBlock } from "./blocks.js";
import { keyExists, keyNotFound } from "./errors.js";
import { dailyFile, formatInstant } from "./instants.js";
import {
  type BlockReader,
  compareEntries,
  type Entry,
  type JournalTree,
  journalTree,
  type Resolved,
  resolve,
  summaryFile,
} from "./journal-files.js";
import { Turns } from "../../core/runtime/turns.js";
import { type Claim, indexFolder, KeyIndex, withClaim } from "./key-index.js";

export interface Draft {
  key: string;
  content: string;
}

const maxAttempts = 1000;

/** How many found blocks are sorted at once; to sort a hundred thousand would keep the process busy. */
const maxSorted = 2000;

export interface Found {
  /** At most as many as were asked for, in order. */
  first: Entry[];
  /** Of all that were found. */
  count: number;
}

/** The journal kept in one memory. Keys are trimmed and in NFC. */
export class Journal {
  readonly #memory: Memory;
  readonly #root: string;
  readonly #clock: () => Date;
  readonly #reader: BlockReader;
  readonly #index: KeyIndex;

  constructor(memory: Memory, options: { root: string; clock: () => Date; reader: BlockReader }) {
    this.#memory = memory;
    this.#root = options.root;
    this.#clock = options.clock;
    this.#reader = options.reader;
    this.#index = new KeyIndex(memory, options.root);
  }

  /** @returns the file. @throws MEMORY_KEY_EXISTS, what the memory throws */
  async write(draft: Draft, target: Target, tags: string[]): Promise<string> {
    const now = this.#clock();
    const file = target === "summary" ? summaryFile : dailyFile(now);
    const { claim, tree } = await this.#ownKey(draft.key, file);
    const block = serializeBlock({ ...draft, at: formatInstant(now), tags }, lineBreakOf(tree.texts.get(file) ?? ""));
    try {
      await this.#memory.append(this.#memoryPath(file), block);
    } catch (error) {
      // After EIO and after an abort the block may have been written, so the claim stays. A run that waits for a person
      // has written nothing.
      if (isGraphBubbleUp(error) || (MemoryError.isInstance(error) && error.code !== "EIO"))
        await this.#index.release(claim);
      throw error;
    }
    this.#index.finish(claim);
    await this.#index.repair(tree);
    return file;
  }

  /** @param tags undefined keeps those of the block. @throws MEMORY_KEY_NOT_FOUND, what the memory throws */
  async update(draft: Draft, tags: string[] | undefined): Promise<Resolved> {
    const at = formatInstant(this.#clock());
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const tree = await this.#load();
      const turns = new Turns();
      const found = resolve(namesakes(tree.entries, draft.key));
      if (found === undefined) throw keyNotFound(draft.key, "; use memory_write to create");
      if (turns.isOver()) await turns.next();
      const { file } = found.entry;
      const change = (text: string): string => {
        const current = resolve(namesakes(this.#reader.read(file, text), draft.key))?.entry;
        if (current === undefined) throw new BlockGone();
        return moveToEnd(text, current, { key: current.key, content: draft.content, at, tags: tags ?? current.tags });
      };
      if (await this.#replace(file, tree.texts.get(file) ?? "", change)) return found;
    }
    throw lostRace();
  }

  /** @throws MEMORY_KEY_NOT_FOUND, what the memory throws */
  async read(key: string): Promise<Resolved> {
    const files = await this.#memory.findFiles(spellingsOf(key), { suffix: ".md" });
    const found =
      resolve(namesakes((await this.#entriesOf(files)).entries, key)) ??
      resolve(namesakes((await this.#load()).entries, key));
    if (found === undefined) throw keyNotFound(key);
    return found;
  }

  /** The blocks that have all tags and the query in their key, content or tags. */
  async search(query: string, tags: string[], limit: number): Promise<Found> {
    const lowerQuery = query.toLowerCase();
    const wanted = new LiteralSearch(lowerQuery);
    const matches = (entry: Entry): boolean =>
      tags.every((tag) => entry.tags.includes(tag)) &&
      (lowerQuery === "" ||
        [entry.key, entry.content, ...entry.tags].some((text) => wanted.firstIn(text.toLowerCase()) !== -1));
    const { entries } = await this.#load();
    const turns = new Turns();
    let first: Entry[] = [];
    let count = 0;
    for (const entry of entries) {
      if (matches(entry)) {
        first.push(entry);
        count += 1;
        if (first.length > maxSorted) first = first.toSorted(compareEntries).slice(0, limit);
      }
      if (turns.isOver()) await turns.next();
    }
    return { first: first.toSorted(compareEntries).slice(0, limit), count };
  }

  /** Claims the key, and waits for writers of the same key who came first. */
  async #ownKey(key: string, file: string): Promise<{ claim: Claim; tree: JournalTree }> {
    let { claim, tree } = await this.#claim(key, file);
    try {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        if (namesakes(tree.entries, key).length > 0) throw keyExists(key);
        const isLate = this.#index.isExpiring(claim);
        if (!isLate && this.#index.isFirst(claim, tree)) return { claim, tree };
        if (isLate) {
          await this.#index.release(claim);
          ({ claim, tree } = await this.#claim(key, file));
        } else {
          await pause(attempt);
          tree = await this.#load();
        }
      }
      throw lostRace();
    } catch (error) {
      await this.#index.release(claim);
      throw error;
    }
  }

  /** Claims the key; the tree is the journal as the claim found it. */
  async #claim(key: string, file: string): Promise<{ claim: Claim; tree: JournalTree }> {
    const askedAtMs = Date.now();
    const { claim, snapshot } = await this.#index.claim(key, file);
    const tree = await this.#parse(snapshot, askedAtMs);
    return { claim, tree: { ...tree, index: withClaim(tree.index, claim) } };
  }

  async #load(): Promise<JournalTree> {
    const askedAtMs = Date.now();
    const tree = await this.#parse(await this.#memory.snapshot(), askedAtMs);
    // `stat` throws for a root that cannot be reached, such as a link in a folder; a snapshot does not.
    if (tree.texts.size === 0 && this.#root !== "") await this.#memory.stat(this.#root);
    return tree;
  }

  async #parse(snapshot: MemorySnapshot, askedAtMs: number): Promise<JournalTree> {
    return { askedAtMs, ...(await this.#entriesOf(snapshot.files)) };
  }

  #entriesOf(files: readonly FoundText[]): Promise<Omit<JournalTree, "askedAtMs">> {
    return journalTree(files, { root: this.#root, indexFolder }, this.#reader);
  }

  /**
   * Replaces the text of a file, in one command where nobody changed it. Where somebody added text before or after it,
   * the old text is still part of the file, and the outcome is as if this update came first. False: the block is gone.
   */
  async #replace(file: string, seen: string, change: (text: string) => string): Promise<boolean> {
    const path = this.#memoryPath(file);
    try {
      if ((await this.#memory.update(path, seen, change(seen))) > 0) return true;
      await this.#memory.edit(path, change);
      return true;
    } catch (error) {
      const hasGone = error instanceof BlockGone || (MemoryError.isInstance(error) && error.code === "ENOENT");
      if (hasGone) return false;
      throw error;
    }
  }

  #memoryPath(file: string): string {
    return `${this.#root}/${file}`;
  }
}

/** Thrown inside an edit, so that nothing is written. */
class BlockGone extends Error {}

const maxSoughtChars = 64;

/**
 * The beginnings of a key, as the files may spell it that have it. Another mixture of normal forms is found where these
 * find nothing.
 */
function spellingsOf(key: string): string[] {
  return [...new Set([key, key.normalize("NFD")])].map((text) => shortened(text));
}

function shortened(text: string): string {
  const start = text.slice(0, maxSoughtChars);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

function namesakes(entries: readonly Entry[], key: string): Entry[] {
  return entries.filter(({ name }) => name === key);
}

function lostRace(): MemoryError {
  return new MemoryError("ECONFLICT", "ECONFLICT: others kept changing the same key; nothing was changed");
}

async function pause(attempt: number): Promise<void> {
  const delayMs = (0.5 + Math.random()) * Math.min(2 ** attempt * 5, 200);
  await new Promise((resolvePause) => setTimeout(resolvePause, delayMs));
}

export interface SearchPage {
  entries: { entry: Entry; content: string }[];
  isTruncated: boolean;
}

/** The first entries, as many of them as fit into one answer. */
export function searchPage({ first, count }: Found): SearchPage {
  let room: number = limits.searchChars;
  const entries: SearchPage["entries"] = [];
  for (const entry of first) {
    if (entries.length > 0 && entry.content.length > room) break;
    const content = shorten(entry.content, room);
    entries.push({ entry, content });
    room -= content.length;
  }
  return { entries, isTruncated: entries.length < count };
}
