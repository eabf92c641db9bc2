import { toShort } from "./report.js";

export async function time(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** The time that this share of the calls did not exceed. */
export function share(times: readonly number[], part: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return found === undefined ? "" : toShort(found);
}
