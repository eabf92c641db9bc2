/**
 * The identity of a call of a tool, which is the same if a task of a graph runs again. The changes of one call have
 * numbers, in the order in which a dialect makes them.
 */
export class CallIdentity {
  readonly id: string;
  #made = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** The identity of the next change. */
  get changeId(): string {
    return this.#made === 0 ? this.id : `${this.id}-${this.#made}`;
  }

  /** Counts a change, also one that an earlier attempt has made. */
  countChange(): void {
    this.#made += 1;
  }
}
