import type { Memory } from "../core/memory.js";
import { getJsonLength } from "./answer-bounds.js";
import type { SearchHit } from "../core/search/search-options.js";

/** Limits of one answer to a model, independent of the size of the memory. */
const maxPassages = 10;
const maxChars = 8000;
/** Length of the line numbers of a match. */
const lineChars = 50;
/** Number of further matches that are counted. */
const maxLeftOut = 40;

export interface FoundPassages {
  passages: SearchHit[];
  /** Says in words which matches were left out, or "" if none were. */
  leftOut: string;
}

/**
 * Returns the best matches, as many as a model should read at once.
 * @param maxAnswerChars room in the answer, in UTF-16 units of JSON
 */
export async function findPassages(
  memory: Memory,
  query: string,
  path: string,
  maxAnswerChars: number,
): Promise<FoundPassages> {
  const found = await memory.search(query, { path, limit: maxPassages + maxLeftOut });
  const passages: SearchHit[] = [];
  let chars = 0;
  let answerChars = 0;
  for (const hit of found.slice(0, maxPassages)) {
    chars += hit.path.length + hit.text.length;
    answerChars += getJsonLength({ path: hit.path, text: hit.text }) + lineChars;
    if (chars > maxChars || answerChars > maxAnswerChars) break;
    passages.push(hit);
  }
  const others = found.length - passages.length;
  if (others === 0) return { passages, leftOut: "" };
  return {
    passages,
    leftOut: `${others}${found.length === maxPassages + maxLeftOut ? " or more" : ""} passages that fit less`,
  };
}
