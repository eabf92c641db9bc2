import { hash as digestOf, randomBytes } from "node:crypto";

import { MemoryError } from "../../core/values/errors.js";
import type { Memory, MemorySnapshot } from "../../core/memory.js";
import { appendText } from "../../core/values/text.js";
import { Turns } from "../../core/runtime/turns.js";
import type { JournalTree } from "./journal-files.js";

/** Hidden, and no `*.md`: the crate passes it over. */
export const indexFolder = ".journal/";

/** How long others wait for a claim whose writer neither writes its block nor gives up, as one that has died. */
const claimMs = 10_000;

/** A line of the index: a writer's word that the key's block is, or will be, in the file. */
interface IndexLine {
  text: string;
  hash: string;
  /** 0 for what was found in a file rather than claimed by a writer. */
  claimedAtMs: number;
  file: string;
}

export interface Claim {
  part: string;
  line: string;
  claimedAtMs: number;
}

/** When this process wrote the block of each of its claims. A block that is missing later was removed by a person. */
const finishedClaims = new Map<string, number>();

function hashKey(name: string): { part: string; hash: string } {
  // Unlike a Hash, it leaves nothing to be collected.
  const digest = digestOf("sha256", name, "buffer");
  return { part: digest.toString("hex", 0, 1), hash: digest.toString("base64url", 1, 10) };
}

/**
 * Which files hold which key, for writers: one short line for each pair, in 256 files below `.journal`, so that a claim
 * costs no more in a large journal than in a small one (ADR 0009). The order in which claims were appended decides who
 * owns a key. What a key holds, and whether it exists, is always read from the files themselves.
 */
export class KeyIndex {
  readonly #memory: Memory;
  readonly #folder: string;

  constructor(memory: Memory, root: string) {
    this.#memory = forBookkeeping(memory);
    this.#folder = `${root}/${indexFolder}`;
  }

  /**
   * Announces that the key's block will be written into `file`; `isFirst` then says whether it may be.
   * The snapshot is from just before.
   */
  async claim(name: string, file: string): Promise<{ claim: Claim; snapshot: MemorySnapshot }> {
    const { part, hash } = hashKey(name);
    const claimedAtMs = Date.now();
    const line = `${hash} ${claimedAtMs.toString(36)}${randomBytes(4).toString("hex")} ${file}\n`;
    const snapshot = await this.#memory.snapshotAndAppend(this.#folder + part, line);
    return { claim: { part, line, claimedAtMs }, snapshot };
  }

  /** Whether no other writer of the same key came before, other than those that have finished or died. */
  isFirst(claim: Claim, tree: JournalTree): boolean {
    const lines = parseLines(tree.index.get(claim.part) ?? "");
    const own = lines.findIndex(({ text }) => text === claim.line);
    const hash = claim.line.slice(0, claim.line.indexOf(" "));
    const isRival = (line: IndexLine): boolean => line.hash === hash && isPending(line, tree);
    // A claim without its own line, which only a person can have removed, does not count.
    return own !== -1 && !lines.slice(0, own).some(isRival);
  }

  isExpiring(claim: Claim): boolean {
    return Math.abs(Date.now() - claim.claimedAtMs) > claimMs / 2;
  }

  /** Takes back a claim for which no block was written. */
  async release(claim: Claim): Promise<void> {
    await quietly(() => this.#memory.update(this.#folder + claim.part, claim.line, ""));
  }

  finish(claim: Claim): void {
    const nowMs = Date.now();
    finishedClaims.set(claim.line, nowMs);
    for (const [line, finishedAtMs] of finishedClaims) {
      if (nowMs - finishedAtMs > 2 * claimMs) finishedClaims.delete(line);
    }
  }

  /** Makes the index say what the files say. A failure is ignored, because only the files decide what a key holds. */
  async repair(tree: JournalTree): Promise<void> {
    await quietly(async () => {
      for (const [part, { missing, stale }] of await differences(tree)) {
        const path = this.#folder + part;
        // One at a time: on MongoDB all of them change the same document.
        if (stale.size === 0) await this.#memory.append(path, missing);
        else await this.#memory.edit(path, (text) => withoutLines(text, stale) + missing);
      }
    });
  }
}

/** The index with the line that a claim has added since. */
export function withClaim(index: JournalTree["index"], { part, line }: Claim): JournalTree["index"] {
  return new Map(index).set(part, appendText(index.get(part) ?? "", line));
}

interface Difference {
  missing: string;
  stale: Set<string>;
}

async function differences(tree: JournalTree): Promise<Map<string, Difference>> {
  const { entries, index } = tree;
  const turns = new Turns();
  const expected = new Map<string, Set<string>>();
  for (const { name, file } of entries) {
    const { part, hash } = hashKey(name);
    const pairs = expected.get(part) ?? new Set();
    expected.set(part, pairs.add(`${hash} ${file}`));
    if (turns.isOver()) await turns.next();
  }
  const found = new Map<string, Difference>();
  for (const part of new Set([...expected.keys(), ...index.keys()])) {
    const lines = parseLines(index.get(part) ?? "");
    const known = new Set(lines.map(({ hash, file }) => `${hash} ${file}`));
    const pairs = expected.get(part) ?? new Set();
    const missing = [...pairs].filter((pair) => !known.has(pair)).map((pair) => `${pair.replace(" ", " 0 ")}\n`);
    const unsaid = new Set(pairs);
    // One line is enough: a key that a person removed and that was written again has two.
    const isStale = (line: IndexLine): boolean => !isPending(line, tree) && !unsaid.delete(`${line.hash} ${line.file}`);
    const stale = new Set(lines.filter(isStale).map(({ text }) => text));
    if (missing.length > 0 || stale.size > 0) found.set(part, { missing: missing.join(""), stale });
    if (turns.isOver()) await turns.next();
  }
  return found;
}

/**
 * Whether the block of a claim may still come. `tree` may lack a block that was finished after `tree` was asked for.
 */
function isPending({ text, claimedAtMs }: IndexLine, { askedAtMs }: JournalTree): boolean {
  const finishedAtMs = finishedClaims.get(text) ?? Number.POSITIVE_INFINITY;
  return Math.abs(askedAtMs - claimedAtMs) <= claimMs && finishedAtMs >= askedAtMs;
}

/** A whole line. The text is not split, because a person may have left a million empty ones. */
const linePattern = /(?<![^\n])(\S+) (\S+) (.+)\n/g;

function parseLines(text: string): IndexLine[] {
  const lines: IndexLine[] = [];
  for (const [line, hash, mark, file] of text.matchAll(linePattern)) {
    if (hash === undefined || mark === undefined || file === undefined) continue;
    lines.push({ text: line, hash, claimedAtMs: Number.parseInt(mark.slice(0, -8), 36) || 0, file });
  }
  return lines;
}

const splitLinesKeepingBreaks = (text: string): string[] => text.split(/(?<=\n)/);

function withoutLines(text: string, lines: ReadonlySet<string>): string {
  return splitLinesKeepingBreaks(text)
    .filter((line) => !lines.has(line))
    .join("");
}

async function quietly(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
  }
}
