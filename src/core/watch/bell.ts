/** Wakes the one who waits. It remembers that it was rung until somebody waits. */
export class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake?.();
  };

  async heard(): Promise<void> {
    if (!this.#isRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#isRung = false;
  }
}
