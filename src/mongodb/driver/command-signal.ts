import type { CallContext } from "../../core/runtime/call.js";

/** The members of an AbortSignal that the driver uses, in every version from 6.13. */
interface UsedMembers {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: Listener): void;
  removeEventListener(type: "abort", listener: Listener): void;
}

/** The driver reads the reason from `this`, and ignores the event. */
type Listener = (this: UsedMembers) => void;

/**
 * The signal of a call for the driver, which adds and removes up to five listeners for each command. Reason: that takes
 * an AbortSignal of Node an eighth of a small command.
 */
class CommandSignal implements UsedMembers {
  readonly #call: CallContext;
  readonly #listeners = new Set<Listener>();

  constructor(call: CallContext) {
    this.#call = call;
    call.onAbort(() => [...this.#listeners].forEach((listener) => listener.call(this)));
  }

  get aborted(): boolean {
    return this.#call.aborted;
  }

  get reason(): unknown {
    return this.#call.reason;
  }

  throwIfAborted(): void {
    this.#call.throwIfAborted();
  }

  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }
}

/** All commands of a call share its signal, so that a long call collects no listeners. */
const signals = new WeakMap<CallContext, UsedMembers>();

/** Returns a signal that aborts with a call. Only for the driver, because it is not an AbortSignal of Node. */
export function getCommandSignal(call: CallContext): AbortSignal {
  let signal = signals.get(call);
  if (signal === undefined) {
    signal = new CommandSignal(call);
    signals.set(call, signal);
  }
  return signal as AbortSignal;
}
