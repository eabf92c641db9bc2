import type { ChangeListener } from "../../core/contract/change-listener.js";

/** Hears of the changes of a memory, until somebody has found it in another layout. */
export class FollowingListener implements ChangeListener {
  readonly #listener: ChangeListener;
  readonly #isThere: () => boolean;

  constructor(listener: ChangeListener, isThere: () => boolean) {
    this.#listener = listener;
    this.#isThere = isThere;
  }

  get latest(): string | null {
    return this.#listener.latest;
  }

  async heard(known: () => string | null): Promise<"changed" | "renew" | "deaf"> {
    return this.#isThere() ? this.#listener.heard(known) : "renew";
  }

  close(): void {
    this.#listener.close();
  }
}
