/** How many memories the times of the last changes are kept of. */
const maxKnown = 10_000;

/** What a store knows of when its memories were changed. */
export class KnownLives {
  readonly #changedAt = new Map<string, Date>();
  sweptAt = -Infinity;

  changedAt(memoryKey: string): Date | undefined {
    return this.#changedAt.get(memoryKey);
  }

  remember(memoryKey: string, at: Date): void {
    const known = this.#changedAt.get(memoryKey);
    if (known !== undefined && known >= at) return;
    this.#changedAt.delete(memoryKey);
    this.#changedAt.set(memoryKey, at);
    const [oldest] = this.#changedAt.keys();
    if (this.#changedAt.size > maxKnown && oldest !== undefined) this.#changedAt.delete(oldest);
  }

  forget(memoryKey: string): void {
    this.#changedAt.delete(memoryKey);
  }
}
