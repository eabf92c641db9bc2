import { takeSteps } from "../../__tests__/helpers/counted-steps.js";
import type { Measure, Sandbox } from "./target.js";

/**
 * Everything that a call runs, but for what makes its input and watches it, and for the driver's decoding. That reads a
 * document at once, of at most 16 MB, and makes a step for each of its characters.
 */
const measuredScripts =
  /^(?!.*(?:\/tools\/fuzz\/|\/__tests__\/|node_modules\/(?:fast-check|jest|@jest|tsx|bson)|\/node:|^node:)).+/;

/** To count steps takes some milliseconds. What is shorter than this is counted with what follows. */
const countedMs = 5;

/** Measures how long calls take, and how long they block the event loop without a pause. */
export class CallMeter {
  slowestCallMs = 0;
  longestSlice: { ms: number; input: unknown } = { ms: 0, input: undefined };
  /** How often functions and blocks of code ran without a pause at most: the same on any machine, however busy. */
  mostSteps = 0;

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
        if (now - last > this.longestSlice.ms) this.longestSlice = { ms: now - last, input };
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
    this.mostSteps = Math.max(this.mostSteps, most);
    return { outcome, ms, steps: most };
  }
}
