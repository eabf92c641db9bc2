import type { MemoryLayout } from "./contract/layout.js";
import type { StoreContext } from "./contract/store-context.js";
import { DocumentLayout } from "./document/document-layout.js";

/** Opens the memories of a store. Sends nothing to the server. */
export function openMemories(context: StoreContext): MemoryLayout {
  return DocumentLayout.open(context);
}
