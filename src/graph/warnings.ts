import { warnOnce } from "../core/runtime/warn-once.js";
import type { MemoryError } from "../core/values/errors.js";
import { isServerRun } from "../langchain/langgraph-internals.js";
import { getRunStore, type MemoryRun } from "../langchain/memory-run.js";
import { isOutsideMongoDB } from "../open-memory.js";

/**
 * Warns once in a process. Reason: a run without its thread or user is a mistake of the program, and would repeat in
 * every run.
 * @param which memory the run cannot use
 */
export function warnOfMissingOwner(which: string, { message }: MemoryError): void {
  warnOnce("owner", `a run cannot use ${which}: ${message}`);
}

/**
 * Warns once in a process if LangGraph's own server has replaced the store of a graph. The program has a
 * MongoMemoryStore, but the notes of a node without a store are kept in the server's store.
 */
export function warnOfServerStore(nodeId: string, run: MemoryRun): void {
  const store = getRunStore(run);
  if (store === undefined || !isServerRun(run.config) || !isOutsideMongoDB(store)) return;
  warnOnce(
    "store",
    `node ${JSON.stringify(nodeId)} has no store, so its notes are kept in the store of LangGraph's server, which ` +
      "replaces the one of compile({ store }); pass the MongoMemoryStore to the MemoryNode to keep them in MongoDB",
  );
}

/**
 * Warns once for each node of a process if a run names a user, but nobody has chosen the scope of the node. Reason: the
 * default shares the notes of one user with all others.
 */
export function warnOfSharedMemory(nodeId: string): void {
  warnOnce(
    `scope of ${nodeId}`,
    `a run names a user, but node ${JSON.stringify(nodeId)} has no scope, so all users share its notes; write ` +
      'scope: "perUser" to give each user a memory, or scope: "global" to share one',
  );
}
