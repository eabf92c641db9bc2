import fc from "fast-check";
import { isLong, repetitions } from "./repetitions.js";

/*
 * The usual run takes the same cases each time, so that only a change makes it fail. The long run takes new ones, and a
 * failure prints its seed.
 */
if (!isLong) fc.configureGlobal({ seed: 1 });

export * from "fast-check";
export { default } from "fast-check";

/** Checks a property for so many random cases. */
export function assertProperty<T>(property: fc.IAsyncProperty<T>, runs: Runs): Promise<void>;
export function assertProperty<T>(property: fc.IProperty<T>, runs: Runs): void;
export function assertProperty<T>(property: fc.IRawProperty<T>, runs: Runs): Promise<void> | void {
  return fc.assert(property, { numRuns: repetitions(runs) });
}

type Runs = Parameters<typeof repetitions>[0];
