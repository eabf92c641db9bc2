import { hash as digestOf, randomBytes } from "node:crypto";
import { forBookkeeping } from "../../core/access/access.js";
import type { Memory } from "../../core/memory.js";
import { MemoryError } from "../../core/values/errors.js";

/** Hidden, and without `*.md` files: the crate ignores it. */
export const reservationFolder = ".journal/";

/** How long a writer waits for another one that has reserved the key and writes no block. */
const waitMs = 10_000;
/** A write that takes longer checks that nobody has taken its key over. Less than `waitMs`. */
const trustedMs = 5000;
/** Nobody waits for a reservation that is so old. Reason: no two clocks differ by so much. */
const oldMs = 86_400_000;

const nobody = "-";
const processId = randomBytes(6).toString("hex");
/** Tokens of this process whose writes may still add a block. */
const unfinished = new Set<string>();
let tokenCount = 0;

/**
 * A writer's word that it writes the block of a key: a file for each key, which one writer creates (decision 30). If
 * the block does not come, another writer takes the key over by a line of its own. So the file is only ever appended
 * to, which access "append" allows. A line is `token previous time`: it counts if `previous` owns the key at that line.
 */
export class Reservation {
  /** Of the file, in the folder of reservations. */
  readonly name: string;
  readonly #token: string;
  readonly #memory: Memory;
  readonly #path: string;
  #madeAtMs = 0;
  #rival = { token: nobody, seenAtMs: 0 };

  constructor(memory: Memory, root: string, key: string) {
    // Lower case, for file systems that ignore case. A collision only makes one writer wait for another.
    this.name = digestOf("sha256", key, "hex").slice(0, 20);
    tokenCount += 1;
    this.#token = `${processId}${tokenCount.toString(36)}`;
    this.#memory = forBookkeeping(memory);
    this.#path = `${root}/${reservationFolder}${this.name}`;
  }

  /** False if the key was reserved before. */
  async create(): Promise<boolean> {
    try {
      await this.#memory.write(this.#path, this.#begin(nobody), { ifExists: "fail" });
      return true;
    } catch (error) {
      if (MemoryError.isInstance(error) && error.code === "EEXIST") return false;
      this.end();
      throw error;
    }
  }

  /** Whether this writer owns the key. @param text of the file, "" if it is missing */
  isOwner(text: string): boolean {
    return ownerIn(text).token === this.#token;
  }

  /** Whether the owner's block can be given up. Call it again and again: it notes how long an owner stays the same. */
  isFree(text: string): boolean {
    const { token, reservedAtMs } = ownerIn(text);
    const nowMs = Date.now();
    if (token !== this.#rival.token) this.#rival = { token, seenAtMs: nowMs };
    const hasEnded = token === nobody || (token.startsWith(processId) && !unfinished.has(token));
    return hasEnded || nowMs - this.#rival.seenAtMs > waitMs || Math.abs(nowMs - reservedAtMs) > oldMs;
  }

  /** Takes the key over from the owner in `text`, unless another writer does so first: `isOwner` then tells. */
  async takeOver(text: string): Promise<void> {
    await this.#memory.append(this.#path, this.#begin(ownerIn(text).token));
  }

  /** Whether another writer may have taken the key over. */
  isLate(): boolean {
    return Math.abs(Date.now() - this.#madeAtMs) > trustedMs;
  }

  /** Gives the key back, because no block was written. A failure only makes the next writer wait. */
  async release(): Promise<void> {
    try {
      await this.#memory.append(this.#path, lineFor(nobody, this.#token));
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
    } finally {
      this.end();
    }
  }

  /** Says that this writer adds no block any more. Without it, others wait. */
  end(): void {
    unfinished.delete(this.#token);
  }

  #begin(previous: string): string {
    unfinished.add(this.#token);
    this.#madeAtMs = Date.now();
    return lineFor(this.#token, previous);
  }
}

function lineFor(token: string, previous: string): string {
  return `${token} ${previous} ${Date.now().toString(36)}\n`;
}

const linePattern = /^([\w-]+) ([\w-]+) ([\da-z]{1,12})$/gm;

/** Lines that do not fit, such as those of the slower of two writers, do not count. */
function ownerIn(text: string): { token: string; reservedAtMs: number } {
  let owner = { token: nobody, reservedAtMs: 0 };
  for (const [, token = "", previous, time = ""] of text.matchAll(linePattern)) {
    if (previous === owner.token) owner = { token, reservedAtMs: Number.parseInt(time, 36) };
  }
  return owner;
}
