import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { setImmediate as turn } from "node:timers/promises";
import { createUnlimitedCall, withinTime } from "../../../src/core/runtime/call.js";
import { runInTimeSlices, type Steps } from "../../../src/core/runtime/time-slices.js";

function* endless(): Steps<never> {
  for (;;) yield;
}

function* stepping(steps: number): Steps<string> {
  for (let step = 0; step < steps; step += 1) yield;
  return "done";
}

describe("work in time slices", () => {
  let nowMs = 0;
  /** Whoever looks at the clock has worked for a millisecond. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
  afterEach(() => void jest.restoreAllMocks());

  it("leaves the event loop to others each 10 ms", async () => {
    let turns = 0;
    const work = runInTimeSlices(stepping(100), null);
    const done = work.then(() => true);
    while (!(await Promise.race([done, turn(false)]))) turns += 1;
    expect(await work).toBe("done");
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it("shares the 10 ms with the work before it, if one call waits for both", async () => {
    let turns = 0;
    setImmediate(() => (turns += 1));
    const call = createUnlimitedCall();
    await runInTimeSlices(stepping(6), call);
    expect(turns).toBe(0);
    await runInTimeSlices(stepping(6), call);
    expect(turns).toBe(1);
  });

  it("ends when the time of its call is up", async () => {
    let work: Promise<never> | undefined;
    const call = withinTime(
      { signals: [], timeoutMs: 5 },
      "read",
      (limited) => (work = runInTimeSlices(endless(), limited)),
    );
    const timeout = { code: "EIO", message: "EIO: no answer within 5 ms (timeoutMs)" };
    await expect(call).rejects.toMatchObject(timeout);
    await expect(work).rejects.toMatchObject(timeout);
  });

  it("ends with the reason of a signal", async () => {
    const controller = new AbortController();
    const work = runInTimeSlices(endless(), controller.signal);
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(work).rejects.toThrow("stopped");
  });
});
