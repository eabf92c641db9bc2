import type { Measure, Sandbox } from "./target.js";

/** Measures how long calls take, and how long they block the event loop without a pause. */
export class CallMeter {
  slowestCallMs = 0;
  longestSlice: { ms: number; input: unknown } = { ms: 0, input: undefined };

  async runCase(sandbox: Sandbox<unknown>, input: unknown): Promise<{ outcome: string; ms: number }> {
    let ms = 0;
    const measure: Measure = async (call) => {
      const start = performance.now();
      // A timer that is due each millisecond comes late by as long as the event loop was blocked.
      let last = start;
      const endSlice = (): void => {
        const now = performance.now();
        if (now - last > this.longestSlice.ms) this.longestSlice = { ms: now - last, input };
        last = now;
      };
      const timer = setInterval(endSlice, 1);
      try {
        return await call();
      } finally {
        clearInterval(timer);
        endSlice();
        ms += performance.now() - start;
      }
    };
    const outcome = await sandbox.call(input, measure);
    this.slowestCallMs = Math.max(this.slowestCallMs, ms);
    return { outcome, ms };
  }
}
