import type { CheckedAddress } from "../core/values/address.js";
import type { Memory } from "../core/memory.js";
import { RecentMap } from "../core/runtime/recent-map.js";

const maxOpened = 100;

/**
 * Caches the memories that were requested last. Reason: a page requests the same memory repeatedly, and opening it
 * takes as long as routing the request.
 */
export class OpenedMemories {
  readonly #open: (address: CheckedAddress) => Memory;
  readonly #memories = new RecentMap<Memory>(maxOpened);

  constructor(open: (address: CheckedAddress) => Memory) {
    this.#open = open;
  }

  memory(address: CheckedAddress): Memory {
    const key = JSON.stringify(address);
    const memory = this.#memories.get(key) ?? this.#open(address);
    this.#memories.set(key, memory);
    return memory;
  }
}
