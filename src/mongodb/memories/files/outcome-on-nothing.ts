import type { CheckedAddress } from "../../../core/values/address.js";
import type { Outcome, QueuedChange } from "./change-queue.js";
import { memoryKeyOf } from "./document-ids.js";
import { RecordedTree } from "./recorded-tree.js";

/** What becomes of a change where there is no memory. Undefined of one that makes something. */
export async function outcomeOnNothing<T>(
  change: QueuedChange<T>,
  address: CheckedAddress,
): Promise<Outcome<T> | undefined> {
  const tree = new RecordedTree(new Map(), address, memoryKeyOf(address));
  const at = change.clock();
  tree.begin({ at, fileAt: at });
  try {
    const answer = await change.apply(tree);
    return tree.documents.size === 0 ? { answer } : undefined;
  } catch (refusal) {
    return { refusal };
  }
}
