import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";

/** A store that stops answering, as one whose server is frozen, and answers everything when it goes on. */
export class HangingStore extends InMemoryStore {
  /** Batches begun. */
  asked = 0;
  #resume: (() => void) | undefined;
  #resumed: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  hang(): void {
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** @param failure what was asked meanwhile fails with */
  goOn(failure?: Error): void {
    this.#failure = failure;
    this.#resume?.();
  }

  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    this.asked += 1;
    await this.#resumed;
    if (this.#failure !== undefined) throw this.#failure;
    return super.batch(operations);
  }
}
