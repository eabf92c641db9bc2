import { takeSteps } from "../__tests__/helpers/counted-steps.js";
import type { Measure, Sandbox } from "./target.js";

/** Everything that a call runs, but for what makes its input and watches it. */
const measuredScripts =
  /^(?!.*(?:\/fuzz\/|\/__tests__\/|node_modules\/(?:fast-check|jest|@jest|tsx)|\/node:|^node:)).+/;

/** To count steps takes some milliseconds. What is shorter than this is counted with what follows. */
const countedMs = 5;

/** Work without a pause, by whatever input made it longest. */
export interface LongestSlice {
  ms: number;
  /** How often functions and blocks of code ran in it: the same on any machine, however busy. */
  steps: number;
  input: unknown;
}

/** Measures how long calls take, and how long they block the event loop without a pause. */
export class CallMeter {
  slowestCallMs = 0;
  longestSlice: LongestSlice = { ms: 0, steps: 0, input: undefined };

  async runCase(sandbox: Sandbox<unknown>, input: unknown): Promise<{ outcome: string; ms: number; steps: number }> {
    let ms = 0;
    let most = 0;
    const measure: Measure = async (call) => {
      takeSteps(measuredScripts);
      const start = performance.now();
      // A timer that is due each millisecond comes late by as long as the event loop was blocked.
      let last = start;
      let lastCount = start;
      let countingMs = 0;
      const endSlice = (isEnd: boolean): void => {
        const now = performance.now();
        this.longestSlice.ms = Math.max(this.longestSlice.ms, now - last);
        if (isEnd || now - lastCount >= countedMs) {
          most = Math.max(most, takeSteps(measuredScripts));
          lastCount = performance.now();
          countingMs += lastCount - now;
        }
        last = performance.now();
      };
      const timer = setInterval(() => endSlice(false), 1);
      try {
        return await call();
      } finally {
        clearInterval(timer);
        endSlice(true);
        ms += performance.now() - start - countingMs;
      }
    };
    const outcome = await sandbox.call(input, measure);
    this.slowestCallMs = Math.max(this.slowestCallMs, ms);
    if (most > this.longestSlice.steps) this.longestSlice = { ...this.longestSlice, steps: most, input };
    return { outcome, ms, steps: most };
  }
}
