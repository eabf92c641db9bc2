/** Whether this is `npm run test:long`. */
export const isLong = process.env["LONG_TESTS"] === "1";

/** Number of repetitions of a test whose course depends on chance: `long` in `npm run test:long`. */
export function repetitions(counts: { usual: number; long: number }): number {
  return isLong ? counts.long : counts.usual;
}
