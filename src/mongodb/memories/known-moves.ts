import type { CheckedAddress } from "../../core/address.js";

/** How many addresses are kept. */
const maxKnown = 10_000;

/** Which memories a store has last found in the other layout. What is not so any more, the marks say. */
export class KnownMoves {
  readonly #known = new Set<string>();

  has(address: CheckedAddress): boolean {
    return this.#known.size > 0 && this.#known.has(JSON.stringify(address));
  }

  set(address: CheckedAddress, isMoved: boolean): void {
    const key = JSON.stringify(address);
    this.#known.delete(key);
    if (!isMoved) return;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
  }
}
