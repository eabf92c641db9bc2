import { expect, it } from "@jest/globals";
import { Call } from "../../../../src/core/runtime/call.js";
import { getCommandSignal } from "../../../../src/mongodb/driver/command-signal.js";

const stopped = new Error("stopped");

class CountingCall extends Call {
  listeners = 0;

  override onAbort(listener: () => void): void {
    this.listeners += 1;
    super.onAbort(listener);
  }
}

it("tells the listeners of every command of a call why it is over, once", () => {
  const call = new Call({ actor: null, timeoutMs: Infinity });
  const signal = getCommandSignal(call);
  const reasons: unknown[] = [];
  function listen(this: AbortSignal): void {
    reasons.push(this.reason);
    signal.removeEventListener("abort", listen);
  }
  signal.addEventListener("abort", listen, { once: true });
  signal.addEventListener("abort", () => reasons.push("second"));
  signal.throwIfAborted();
  expect(signal.aborted).toBe(false);
  call.abort(stopped);
  expect([reasons, signal.aborted, signal.reason]).toEqual([[stopped, "second"], true, stopped]);
  expect(() => signal.throwIfAborted()).toThrow(stopped);
});

it("tells no listener that has gone, and collects none at a call of many commands", () => {
  const call = new CountingCall({ actor: null, timeoutMs: Infinity });
  const heard: string[] = [];
  for (let command = 0; command < 100; command += 1) {
    const listen = (): number => heard.push("gone");
    getCommandSignal(call).addEventListener("abort", listen);
    getCommandSignal(call).removeEventListener("abort", listen);
  }
  call.abort(stopped);
  expect([call.listeners, heard]).toEqual([1, []]);
});
