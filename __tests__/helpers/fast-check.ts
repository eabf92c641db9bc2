import fc from "fast-check";
import { isLong } from "./repetitions.js";

/*
 * The usual run takes the same cases each time, so that only a change makes it fail. The long run takes new ones, and a
 * failure prints its seed.
 */
if (!isLong) fc.configureGlobal({ seed: 1 });

export * from "fast-check";
export { default } from "fast-check";
