import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";

/** A store that never answers some calls: `next` of them, from now on. */
export class LosingStore extends InMemoryStore {
  next = 0;

  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    this.next -= 1;
    return this.next >= 0 ? new Promise(() => {}) : super.batch(operations);
  }
}

/** A store that stops answering, like a store whose server is frozen, and answers all calls when it continues. */
export class HangingStore extends InMemoryStore {
  /** Number of batches begun. */
  asked = 0;
  #resume: (() => void) | undefined;
  #resumed: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  hang(): void {
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** @param failure the error of all calls made meanwhile */
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
