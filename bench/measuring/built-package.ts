import type * as backend from "../../src/custom-backend/index.js";
import type * as index from "../../src/index.js";
import type * as entry from "../../src/learn/index.js";

const load = async (entry: string): Promise<unknown> => import(new URL(`../../dist/${entry}.js`, import.meta.url).href);

/** `npm run bench` builds it first. The sources, run by tsx, are slower: it wraps every function to keep its name. */
export const { logConversation, MemoryConnectorNode, MemoryNode, MongoMemoryStore, openMemory } = (await load(
  "index",
)) as typeof index;

export const { learn } = (await load("learn")) as typeof entry;

export const { MemoryTree, openMemoryOver } = (await load("backend")) as typeof backend;
