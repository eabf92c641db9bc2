import type { CallContext } from "../../core/runtime/call.js";
import type { MemoryActor, VersionOrigin } from "../../core/values/actor.js";

/** A call that records the proposer and the sources of an approved proposal. */
export class ActorCall implements CallContext {
  readonly actor: MemoryActor | null;
  readonly origin: VersionOrigin | null;
  /** Null, because the id of its record already makes an approved change once. */
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
