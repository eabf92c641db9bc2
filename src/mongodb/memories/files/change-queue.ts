import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { sharedCall } from "./creations.js";
import type { RecordedTree } from "./recorded-tree.js";
import { isTooMuch } from "../transaction-errors.js";

/** A change of one memory that makes versions, or that a limit of the memory may refuse. */
export interface QueuedChange<T> {
  /** All paths that it looks at or changes. */
  paths: readonly string[];
  /** Directories of which it needs all that lies in them. */
  below?: readonly string[];
  /** How long the texts are that it brings. */
  chars: number;
  actor: MemoryActor | null;
  clock: () => Date;
  /** The times of files, where they are not those of `clock`. */
  fileClock?: (() => Date) | undefined;
  /** What all texts of the memory may take after it, in bytes. Left out: it has no limit. */
  maxMemoryBytes?: number | undefined;
  /** Makes the change, or throws what refuses it. May run again, on a tree that nothing of it was made in. */
  apply: (tree: RecordedTree) => T | Promise<T>;
}

/** What became of a change. */
export type Outcome<T = unknown> = { answer: T } | { refusal: unknown };

/** What became of the first of some changes, and what is to be done once their callers know. */
export interface MadeChanges {
  /** As many as one transaction took; at least one. */
  outcomes: Outcome[];
  afterwards: () => Promise<void>;
}

/** Makes changes of one memory by one transaction. @param call ends when nobody waits for any of them */
export type MakeChanges = (
  address: CheckedAddress,
  changes: readonly QueuedChange<unknown>[],
  call: CallContext | undefined,
) => Promise<MadeChanges>;

interface Waiting {
  change: QueuedChange<unknown>;
  call: CallContext | undefined;
  tell: (outcome: Outcome) => void;
  /** Nothing was made, or nobody knows. */
  fail: (error: unknown) => void;
}

/** What one transaction makes at most. */
const maxBatch = { changes: 100, chars: 4_000_000 };

/**
 * Makes the changes of a memory in the order in which they were called, those that come while a transaction runs by the
 * next one together: each of them writes the root of the memory, so of transactions at the same time only one can end.
 * Other processes race.
 */
export class ChangeQueue {
  readonly #make: MakeChanges;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(make: MakeChanges) {
    this.#make = make;
  }

  /** @param memoryKey of the address */
  run<T>(
    memoryKey: string,
    address: CheckedAddress,
    change: QueuedChange<T>,
    call: CallContext | undefined,
  ): Promise<Outcome<T>> {
    return new Promise<Outcome<T>>((tell, fail) => {
      const waiting: Waiting = { change, call, tell: tell as (outcome: Outcome) => void, fail };
      const others = this.#waiting.get(memoryKey);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      this.#waiting.set(memoryKey, [waiting]);
      void this.#work(memoryKey, address);
    });
  }

  async #work(memoryKey: string, address: CheckedAddress): Promise<void> {
    const waiting = this.#waiting.get(memoryKey) ?? [];
    while (waiting.length > 0) {
      const batch = nextBatch(waiting);
      const taken = await this.#makeBatch(address, batch);
      waiting.splice(0, taken);
    }
    this.#waiting.delete(memoryKey);
  }

  /** @returns how many of them are done */
  async #makeBatch(address: CheckedAddress, batch: readonly Waiting[]): Promise<number> {
    const wanted = batch.filter(({ call, fail }) => {
      if (call?.aborted !== true) return true;
      fail(call.reason);
      return false;
    });
    return wanted.length === 0 ? batch.length : this.#makeWanted(address, batch, wanted);
  }

  async #makeWanted(address: CheckedAddress, batch: readonly Waiting[], wanted: readonly Waiting[]): Promise<number> {
    try {
      const { outcomes, afterwards } = await this.#make(
        address,
        wanted.map(({ change }) => change),
        sharedCall(wanted.map(({ call }) => call)),
      );
      const done = wanted.slice(0, outcomes.length);
      outcomes.forEach((outcome, index) => done[index]?.tell(outcome));
      // The changes are made, whatever becomes of this.
      await afterwards().catch(() => undefined);
      const next = wanted[done.length];
      return next === undefined ? batch.length : batch.indexOf(next);
    } catch (error) {
      const [first] = wanted;
      if (wanted.length > 1 && first !== undefined && isTooMuch(error)) {
        // One of them may be too much by itself, and is not to take the others with it.
        await this.#makeWanted(address, [first], [first]);
        return batch.indexOf(first) + 1;
      }
      for (const { fail } of wanted) fail(error);
      return batch.length;
    }
  }
}

function nextBatch(waiting: readonly Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  let chars = 0;
  for (const each of waiting) {
    chars += each.change.chars;
    if (batch.length === maxBatch.changes || (batch.length > 0 && chars > maxBatch.chars)) break;
    batch.push(each);
  }
  return batch;
}
