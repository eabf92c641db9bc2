import { isServerRun } from "../langchain/langgraph-internals.js";
import { getRunStore, type MemoryRun } from "../langchain/memory-run.js";
import { isOutsideMongoDB } from "../open-memory.js";

let warned = false;

/**
 * Warns once in a process if LangGraph's own server has replaced the store of a graph. The program has a
 * MongoMemoryStore, but the notes of a node without a store are kept in the server's store.
 */
export function warnOfServerStore(nodeId: string, run: MemoryRun): void {
  const store = getRunStore(run);
  if (warned || store === undefined || !isServerRun(run.config) || !isOutsideMongoDB(store)) return;
  warned = true;
  globalThis.process?.emitWarning?.(
    `node ${JSON.stringify(nodeId)} has no store, so its notes are kept in the store of LangGraph's server, which ` +
      "replaces the one of compile({ store }); pass the MongoMemoryStore to the MemoryNode to keep them in MongoDB",
    { type: "MemoryWarning" },
  );
}
