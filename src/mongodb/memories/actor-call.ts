import type { CallContext } from "../../core/runtime/call.js";
import type { MemoryActor, VersionOrigin } from "../../core/values/actor.js";

/** A call whose changes are recorded as an approved proposal says: by its proposer, and with its sources. */
export class ActorCall implements CallContext {
  readonly actor: MemoryActor | null;
  readonly origin: VersionOrigin | null;
  /** An approved change is made once by the mark of its record. */
  readonly changeId = null;
  readonly #call: CallContext;

  constructor(call: CallContext, { actor, origin }: { actor: MemoryActor | null; origin: VersionOrigin | null }) {
    this.#call = call;
    this.actor = actor;
    this.origin = origin;
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
