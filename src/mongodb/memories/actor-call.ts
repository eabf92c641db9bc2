import type { CallContext } from "../../core/runtime/call.js";
import type { MemoryActor } from "../../core/values/actor.js";

/** A call whose changes are recorded as those of another person: an approved proposal is a change by its proposer. */
export class ActorCall implements CallContext {
  readonly actor: MemoryActor | null;
  /** An approved change is made once by the mark of its record. */
  readonly changeId = null;
  readonly #call: CallContext;

  constructor(call: CallContext, actor: MemoryActor | null) {
    this.#call = call;
    this.actor = actor;
  }

  get timeoutMs(): number {
    return this.#call.timeoutMs;
  }

  get aborted(): boolean {
    return this.#call.aborted;
  }

  get reason(): unknown {
    return this.#call.reason;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  throwIfAborted(): void {
    this.#call.throwIfAborted();
  }

  onAbort(listener: () => void): void {
    this.#call.onAbort(listener);
  }
}
