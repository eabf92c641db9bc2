import type { CheckedAddress } from "../core/values/address.js";
import type { Memory } from "../core/memory.js";
import { RecentMap } from "../core/runtime/recent-map.js";

const maxOpened = 100;

/**
 * Keeps the memories that were asked for last: a page asks for the same one again and again, and to open it takes as
 * long as to route the request.
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
