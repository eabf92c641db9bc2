import type { MemoryLayout } from "./contract/layout.js";
import type { MemoriesContext, StoreContext } from "./contract/store-context.js";
import { MemoryExpiry } from "./expiry/memory-expiry.js";
import { PagedMemories } from "./pages/paged-memories.js";
import { openSharedCollections } from "./shared-collections.js";

/** Opens the memories of a store. Sends nothing to the server. */
export function openMemories(store: StoreContext): MemoryLayout {
  return PagedMemories.open(createMemoriesContext(store));
}

function createMemoriesContext(store: StoreContext): MemoriesContext {
  const expiry = new MemoryExpiry(store.expireMs, store.clock);
  return { ...store, shared: openSharedCollections(store), expiry };
}
