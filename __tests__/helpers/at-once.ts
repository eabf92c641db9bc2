import type { Steps } from "../../src/core/runtime/time-slices.js";
import { encodeOlderText, type OlderText } from "../../src/core/history/older-text.js";

/** Encodes at once what calls encode in turns. */
export function encodeText(older: string, newer: string): OlderText {
  return doAtOnce(encodeOlderText(older, newer));
}

/** Does all steps of some work. */
export function doAtOnce<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
