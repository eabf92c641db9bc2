import type { OngoingCall } from "../../core/ongoing-call.js";

type Used = Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted" | "removeEventListener"> & {
  addEventListener(type: "abort", listener: Listener): void;
};

/** The driver's ask the signal that they are called on. */
type Listener = (this: Used) => void;

/** As much of an AbortSignal as the driver uses. With a real one a small command takes a tenth longer. */
class DriverSignal implements Used {
  readonly #call: OngoingCall;
  readonly #listeners = new Set<unknown>();

  constructor(call: OngoingCall) {
    this.#call = call;
    call.onOver(() => this.#listeners.forEach((listener) => (listener as Listener).call(this)));
  }

  get aborted(): boolean {
    return this.#call.isOver;
  }

  get reason(): unknown {
    return this.#call.reason;
  }

  throwIfAborted(): void {
    this.#call.throwIfOver();
  }

  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: unknown): void {
    this.#listeners.delete(listener);
  }
}

/** Ends what the driver does for a call with that call. */
export function driverSignal(call: OngoingCall): AbortSignal {
  return new DriverSignal(call) as unknown as AbortSignal;
}
