import { type CallLimits, withinTime } from "../../../core/runtime/call.js";
import { reading } from "../../driver/reads.js";
import type { SweptCounts } from "../addresses/memory-filter.js";

/** Runs a sweep to its end. Each memory has the time of a call. */
export async function countSwept(swept: AsyncIterable<void>, limits: CallLimits): Promise<SweptCounts> {
  const iterator = swept[Symbol.asyncIterator]();
  for (let memories = 0; ; memories += 1) {
    const { done } = await withinTime(limits, "change", () => reading(() => iterator.next()));
    if (done === true) return { memories };
  }
}
