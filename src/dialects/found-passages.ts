import type { Memory } from "../core/memory.js";
import type { SearchHit } from "../core/search/search-options.js";

/** What a search answers a model, whatever the memory holds. */
const maxPassages = 10;
const maxChars = 8000;
/** How many further ones are counted. */
const maxLeftOut = 40;

export interface FoundPassages {
  passages: SearchHit[];
  /** What of all that was found is not among them, in words; "" for nothing. */
  leftOut: string;
}

/** The passages that fit best, as many as a model should read at once. */
export async function findPassages(memory: Memory, query: string, path: string): Promise<FoundPassages> {
  const found = await memory.search(query, { path, limit: maxPassages + maxLeftOut });
  const passages: SearchHit[] = [];
  let chars = 0;
  for (const hit of found.slice(0, maxPassages)) {
    chars += hit.path.length + hit.text.length;
    if (chars > maxChars) break;
    passages.push(hit);
  }
  const others = found.length - passages.length;
  if (others === 0) return { passages, leftOut: "" };
  return {
    passages,
    leftOut: `${others}${found.length === maxPassages + maxLeftOut ? " or more" : ""} passages that fit less`,
  };
}
