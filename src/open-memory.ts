import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { wrongArgument } from "./core/settings/wrong-argument.js";
import { BaseStoreBackend } from "./backends/base-store.js";
import type { MemoryAddress } from "./core/values/address.js";
import type { Memory } from "./core/memory.js";
import { getMemoryNamespace } from "./core/values/namespace.js";
import { openMemoryOver } from "./core/open-memory-over.js";
import type { MemoryOptions } from "./core/memory-options.js";
import { unwrapStore } from "./langchain/langgraph-internals.js";
import { MongoMemoryStore } from "./mongodb/store/mongo-memory-store.js";

/**
 * Opens a memory in any LangGraph store. Changes are atomic across processes in a MongoMemoryStore, and inside this
 * process in any other store.
 *
 * @param store the store itself, or LangGraph's wrapped store from the config of a node, tool or middleware
 * @throws MemoryError EINVAL for a bad address, TypeError for a bad store or bad options
 */
export function openMemory(store: BaseStore, address: MemoryAddress, options?: MemoryOptions): Memory {
  const real = unwrapStore(store);
  if (MongoMemoryStore.isInstance(real)) return real.memory(address, options);
  if (typeof real?.batch !== "function") throw wrongArgument("openMemory: store", "a LangGraph BaseStore", store);
  return openMemoryOver(
    (checked, limits) => new BaseStoreBackend(real, getMemoryNamespace(checked), limits),
    address,
    options,
  );
}
