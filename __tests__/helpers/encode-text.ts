import { encodeOlderText, type OlderText } from "../../src/core/history/older-text.js";

/** Encodes at once what calls encode in turns. */
export function encodeText(older: string, newer: string): OlderText {
  const work = encodeOlderText(older, newer);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
