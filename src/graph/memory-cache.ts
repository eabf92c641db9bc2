import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { Memory } from "../core/memory.js";
import type { MemoryOptions } from "../core/memory-options.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import { addressFor, type MemoryScope, type OwnerField, ownerFields } from "../core/values/address.js";
import { openMemory } from "../open-memory.js";

/** The thread and the user whose memories are opened: any values, as a run names them. */
export type Owners = Readonly<Partial<Record<OwnerField, unknown>>>;

/** How many memories of a store a node keeps open. */
const maxOpened = 1000;

/** Opens each memory of a node once. The memories know no run. */
export class MemoryCache {
  readonly #options: MemoryOptions;
  readonly #stores = new WeakMap<BaseStore, RecentMap<Memory>>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** @throws MemoryError EINVAL if the owner is missing, or is no id; TypeError for a bad store */
  open(store: BaseStore, nodeId: string, scope: MemoryScope, owners: Owners): Memory {
    const field = ownerFields[scope];
    const owner = field === null ? "" : owners[field];
    // Only a string is an id. `openMemory` refuses other values, so nothing is kept under "".
    const key = typeof owner === "string" ? JSON.stringify([nodeId, scope, owner]) : "";
    const opened = this.#stores.get(store) ?? new RecentMap<Memory>(maxOpened);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const memory = openMemory(store, addressFor(nodeId, scope, owner), this.#options);
    opened.set(key, memory);
    this.#stores.set(store, opened);
    return memory;
  }
}
