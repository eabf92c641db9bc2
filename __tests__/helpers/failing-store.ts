import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";

/** A store that can be made unavailable. Its error contains a host that no answer may show. */
export class FailingStore extends InMemoryStore {
  isAway = false;

  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    if (this.isAway) throw new Error("connect ECONNREFUSED db.internal.example:27017");
    return super.batch(operations);
  }
}
