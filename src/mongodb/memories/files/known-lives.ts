import { RecentMap } from "../../../core/runtime/recent-map.js";

/** How many memories the times of the last changes are kept of. */
const maxKnown = 10_000;

/** What a store knows of when its memories were changed. */
export class KnownLives {
  readonly #changedAt = new RecentMap<Date>(maxKnown);
  sweptAt = -Infinity;

  changedAt(memoryKey: string): Date | undefined {
    return this.#changedAt.get(memoryKey);
  }

  remember(memoryKey: string, at: Date): void {
    const known = this.#changedAt.get(memoryKey);
    if (known !== undefined && known >= at) return;
    this.#changedAt.set(memoryKey, at);
  }

  forget(memoryKey: string): void {
    this.#changedAt.delete(memoryKey);
  }
}
