import type { CallContext } from "../../core/runtime/call.js";

type Used = Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted" | "removeEventListener"> & {
  addEventListener(type: "abort", listener: Listener): void;
};

/** A listener of the driver reads the signal as its `this`. */
type Listener = (this: Used) => void;

/** The part of an AbortSignal that the driver uses. With a real one, a small command takes a tenth longer. */
class DriverSignal implements Used {
  readonly #call: CallContext;
  #listeners: Set<unknown> | undefined;

  constructor(call: CallContext) {
    this.#call = call;
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
    if (this.#listeners === undefined) {
      const listeners = new Set<unknown>();
      this.#listeners = listeners;
      this.#call.onAbort(() => listeners.forEach((each) => (each as Listener).call(this)));
    }
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: unknown): void {
    this.#listeners?.delete(listener);
  }
}

/** A signal that ends the work of the driver for a call when the call ends. */
export function driverSignal(call: CallContext): AbortSignal {
  return new DriverSignal(call) as unknown as AbortSignal;
}
