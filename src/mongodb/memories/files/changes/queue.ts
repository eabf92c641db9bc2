import type { MemoryActor } from "../../../../core/values/actor.js";
import { type CallContext, createSignal } from "../../../../core/runtime/call.js";
import type { TreeEdits } from "../../../../core/tree/memory-tree.js";
import { isTooMuch } from "../../transaction-errors.js";
import type { StorageMoment, StorageScope } from "../../contract/tree-storage.js";
import type { LoadedTree } from "./loaded-tree.js";

/** A change that a transaction makes, perhaps together with others of the same memory. */
export interface QueuedChange {
  scope: StorageScope;
  actor: MemoryActor | null;
  /** Maximum size in bytes of all texts of the memory after the change. Undefined for no limit. */
  maxMemoryBytes: number | undefined;
  /** Throws what refuses the change. It may run again, on a tree without its edits. */
  apply: (tree: LoadedTree, moment: StorageMoment) => Promise<TreeEdits>;
}

/** How a change ended: it is made, or refused. */
export type Outcome = { refusal: unknown } | { refusal?: never };

/**
 * The outcomes of the first of some changes, at least one, and a task for the time after their callers have the
 * answers.
 */
export interface MadeChanges {
  outcomes: Outcome[];
  afterwards: () => Promise<void>;
}

/** Makes changes of one memory in one transaction. @param call aborted when nobody waits for any of the changes */
export type MakeChanges = (changes: readonly QueuedChange[], call: CallContext) => Promise<MadeChanges>;

interface Waiting {
  change: QueuedChange;
  call: CallContext;
  make: MakeChanges;
  resolve: (outcome: Outcome) => void;
  /** Called if nothing was changed, or if the outcome is unknown. */
  reject: (error: unknown) => void;
}

/** The maximum for one transaction. */
const maxBatch = { changes: 100, chars: 4_000_000 };

/**
 * Makes the changes of each memory in the order of their calls. Changes that arrive while a transaction runs share the
 * next one. Reason: of concurrent transactions that write the same directory, or the root, only one can commit. Other
 * processes still race.
 */
export class ChangeQueue {
  readonly #waiting = new Map<string, Waiting[]>();

  run(memoryKey: string, change: QueuedChange, call: CallContext, make: MakeChanges): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      const entry: Waiting = { change, call, make, resolve, reject };
      const waiting = this.#waiting.get(memoryKey);
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      this.#waiting.set(memoryKey, [entry]);
      void this.#work(memoryKey);
    });
  }

  async #work(memoryKey: string): Promise<void> {
    const waiting = this.#waiting.get(memoryKey) ?? [];
    while (waiting.length > 0) {
      const batch = selectBatch(waiting);
      const active = batch.filter(({ call }) => !call.aborted);
      for (const { call, reject } of batch) if (call.aborted) reject(call.reason);
      const settled = active.length === 0 ? [] : await makeBatch(active);
      const left = new Set(active.filter((entry) => !settled.includes(entry)));
      waiting.splice(0, batch.length, ...batch.filter((entry) => left.has(entry)));
    }
    this.#waiting.delete(memoryKey);
  }
}

/** @returns the entries whose callers have their answers: at least one */
async function makeBatch(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
  const [first] = batch;
  if (first === undefined) return batch;
  try {
    const changes = batch.map(({ change }) => change);
    const call = batch.length === 1 ? first.call : new SharedCall(batch.map((entry) => entry.call));
    const { outcomes, afterwards } = await first.make(changes, call);
    outcomes.forEach((outcome, index) => batch[index]?.resolve(outcome));
    // The changes are made, even if this fails.
    await afterwards().catch(() => undefined);
    return batch.slice(0, outcomes.length);
  } catch (error) {
    // A change that is too large by itself must not fail the others.
    if (batch.length > 1 && isTooMuch(error)) return makeBatch([first]);
    for (const { reject } of batch) reject(error);
    return batch;
  }
}

function selectBatch(waiting: readonly Waiting[]): Waiting[] {
  let chars = 0;
  const end = waiting.findIndex(({ change }, index) => {
    chars += change.scope.chars;
    return index === maxBatch.changes || (index > 0 && chars > maxBatch.chars);
  });
  return waiting.slice(0, end === -1 ? waiting.length : end);
}

/** A call that is aborted when all of these calls are. */
class SharedCall implements CallContext {
  /** Each change names its own actor. */
  readonly actor = null;
  readonly timeoutMs: number;
  readonly #calls: readonly CallContext[];
  #signal: AbortSignal | undefined;

  constructor(calls: readonly CallContext[]) {
    this.#calls = calls;
    this.timeoutMs = Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
  }

  get aborted(): boolean {
    return this.#calls.every(({ aborted }) => aborted);
  }

  get reason(): unknown {
    return this.#calls.at(-1)?.reason;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= createSignal(this));
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  onAbort(listener: () => void): void {
    for (const call of this.#calls) {
      call.onAbort(() => {
        if (this.aborted) listener();
      });
    }
  }
}
