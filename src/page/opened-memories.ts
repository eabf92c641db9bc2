import type { CheckedAddress } from "../core/address.js";
import type { Memory } from "../core/memory.js";

const maxOpened = 100;

/** Keeps the memories that were asked for last: a page asks for the same one again and again, and to open it takes as long as to route the request. */
export class OpenedMemories {
  readonly #open: (address: CheckedAddress) => Memory;
  /** The one that was asked for longest ago is first. */
  readonly #memories = new Map<string, Memory>();

  constructor(open: (address: CheckedAddress) => Memory) {
    this.#open = open;
  }

  memory(address: CheckedAddress): Memory {
    const key = JSON.stringify(address);
    const memory = this.#memories.get(key) ?? this.#open(address);
    this.#memories.delete(key);
    this.#memories.set(key, memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > maxOpened && oldest !== undefined) this.#memories.delete(oldest);
    return memory;
  }
}
