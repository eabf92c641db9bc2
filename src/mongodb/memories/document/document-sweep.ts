import type { CallContext } from "../../../core/runtime/call.js";
import { memoryScopes } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import type { MemoryDocument } from "./document.js";
import type { DocumentContext } from "./document-context.js";

/** How many memories one command finds: the server keeps a cursor that is not asked for 10 minutes. */
const foundAtOnce = 100;

const projection = { hasVersions: 1 } as const;

/**
 * Removes all memories that have expired, with their versions. MongoDB does so too, about a minute after their end, and
 * leaves the versions until they expire. Yields once for each.
 */
export async function* sweepDocuments(
  { collection, ready, expiry, history, versions }: DocumentContext,
  call: CallContext,
): AsyncGenerator<void> {
  await ready();
  for (const scope of memoryScopes) {
    const deadline = expiry.deadline(scope);
    if (deadline === null) continue;
    const expired = { updatedAt: { $lte: deadline } };
    // Written as the index of the scope is.
    const filter = { scope, nodeId: { $type: "string" }, ...expired };
    const options = { projection, batchSize: foundAtOnce, ...asPlainValues };
    for await (const { _id, hasVersions } of streaming(collection.find<MemoryDocument>(filter, options, call))) {
      // Nothing where it has been changed since.
      if ((await collection.deleteOne({ _id, ...expired }, {}, call)) === 0) continue;
      if (hasVersions === true && history !== null) await versions.remove(String(_id), call);
      yield;
    }
  }
}
