/** Wakes one waiting task. A notification before the wait is not lost, and several count as one. */
export class Signal {
  #isNotified = false;
  #wake: (() => void) | undefined;

  readonly notify = (): void => {
    this.#isNotified = true;
    this.#wake?.();
  };

  async wait(): Promise<void> {
    if (!this.#isNotified) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#isNotified = false;
  }
}
