import type * as index from "../../src/index.js";
import type * as entry from "../../src/learn/index.js";

/** `npm run bench` builds it first. The sources, run by tsx, are slower: it wraps every function to keep its name. */
export const { MemoryNode, MongoMemoryStore } = (await import(
  new URL("../../dist/index.js", import.meta.url).href
)) as typeof index;

export const { learn } = (await import(new URL("../../dist/learn.js", import.meta.url).href)) as typeof entry;
