import type { CheckedAddress } from "../../../core/values/address.js";
import { RecentMap } from "../../../core/runtime/recent-map.js";

/** How many addresses are kept. */
const maxKnown = 10_000;

/** The memories that a store has last found in the other layout. Forwarding records correct outdated entries. */
export class KnownMoves {
  readonly #known = new RecentMap<true>(maxKnown);

  has(address: CheckedAddress): boolean {
    return this.#known.size > 0 && this.#known.get(JSON.stringify(address)) === true;
  }

  set(address: CheckedAddress, isMoved: boolean): void {
    const key = JSON.stringify(address);
    if (isMoved) this.#known.set(key, true);
    else this.#known.delete(key);
  }
}
