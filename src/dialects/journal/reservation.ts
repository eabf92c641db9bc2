import { hash as digestOf, randomBytes } from "node:crypto";
import { bindMemory, getInternals } from "../../core/bind-memory.js";
import type { Memory } from "../../core/memory.js";
import { hasCode, MemoryError } from "../../core/values/errors.js";

/** A hidden folder without `*.md` files, so the crate ignores it. */
export const reservationFolder = ".journal/";

/** Time that a writer waits for another writer who reserved the key and writes no block. */
const waitMs = 10_000;
/** A write that takes longer must check whether another writer took its key over. Less than `waitMs`. */
const trustedMs = 5000;
/** Age at which a reservation blocks no writer. Reason: clocks do not differ by so much. */
const oldMs = 86_400_000;

const nobody = "-";
const processId = randomBytes(6).toString("hex");
/** Tokens of writes in this process that may still add a block. */
const unfinished = new Set<string>();
let tokenCount = 0;

/**
 * A writer's promise to write the block of a key. Each key has one file, which one writer creates (ADR 0030). If the
 * block does not come, another writer takes the key over by appending a line. Access "append" allows this, because the
 * file is only ever appended to. A line is `token previous time`, and counts only if `previous` owns the key at that
 * line.
 */
export class Reservation {
  /** Name of the file in the folder of reservations. */
  readonly name: string;
  readonly #token: string;
  /** The end of the tokens of one call of the tool, which a task of a graph may make again. Null: no such call. */
  readonly #callMark: string | null;
  readonly #memory: Memory;
  readonly #path: string;
  #madeAtMs = 0;
  #rival = { token: nobody, seenAtMs: 0 };

  constructor(memory: Memory, root: string, key: string) {
    // Lower case, because some file systems ignore case. A collision only makes one writer wait for another.
    this.name = digestOf("sha256", key, "hex").slice(0, 20);
    tokenCount += 1;
    const call = getInternals(memory).run?.call?.id;
    this.#callMark = call === undefined ? null : `_${call}`;
    this.#token = `${processId}${tokenCount.toString(36)}${this.#callMark ?? ""}`;
    // Without the run, because these changes are not the change of the call.
    this.#memory = bindMemory(memory, { run: null, without: "review" });
    this.#path = `${root}/${reservationFolder}${this.name}`;
  }

  /** Returns false if the key was reserved before. */
  async create(): Promise<boolean> {
    try {
      await this.#memory.write(this.#path, this.#begin(nobody), { ifExists: "fail" });
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      this.end();
      throw error;
    }
  }

  /** Whether this writer owns the key. @param text text of the file, or "" if the file is missing */
  isOwner(text: string): boolean {
    return findOwner(text).token === this.#token;
  }

  /** Whether the same call of the tool has reserved the key before. */
  isRepeated(text: string): boolean {
    const { token } = findOwner(text);
    return this.#callMark !== null && token !== this.#token && token.endsWith(this.#callMark);
  }

  /**
   * Whether this writer need not wait for the owner's block. Call it repeatedly: it measures how long the owner stays
   * the same.
   */
  isFree(text: string): boolean {
    const { token, reservedAtMs } = findOwner(text);
    const nowMs = Date.now();
    if (token !== this.#rival.token) this.#rival = { token, seenAtMs: nowMs };
    const hasEnded = token === nobody || (token.startsWith(processId) && !unfinished.has(token));
    return hasEnded || nowMs - this.#rival.seenAtMs > waitMs || Math.abs(nowMs - reservedAtMs) > oldMs;
  }

  /**
   * Takes the key over from the owner in `text`, unless another writer was faster. Afterwards `isOwner` gives the
   * result.
   */
  async takeOver(text: string): Promise<void> {
    await this.#memory.append(this.#path, this.#begin(findOwner(text).token));
  }

  /** Whether another writer may have taken the key over. */
  isLate(): boolean {
    return Math.abs(Date.now() - this.#madeAtMs) > trustedMs;
  }

  /** Gives the key back, because no block was written. If this fails, the next writer only waits longer. */
  async release(): Promise<void> {
    try {
      await this.#memory.append(this.#path, formatLine(nobody, this.#token));
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
    } finally {
      this.end();
    }
  }

  /** Reports that this writer adds no more blocks. Without this call, other writers wait. */
  end(): void {
    unfinished.delete(this.#token);
  }

  #begin(previous: string): string {
    unfinished.add(this.#token);
    this.#madeAtMs = Date.now();
    return formatLine(this.#token, previous);
  }
}

function formatLine(token: string, previous: string): string {
  return `${token} ${previous} ${Date.now().toString(36)}\n`;
}

const linePattern = /^([\w-]+) ([\w-]+) ([\da-z]{1,12})$/gm;

/** Finds the owner. Ignores lines whose `previous` is not the owner, such as the slower of two writers' lines. */
function findOwner(text: string): { token: string; reservedAtMs: number } {
  let owner = { token: nobody, reservedAtMs: 0 };
  for (const [, token = "", previous, time = ""] of text.matchAll(linePattern)) {
    if (previous === owner.token) owner = { token, reservedAtMs: Number.parseInt(time, 36) };
  }
  return owner;
}
