import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import { addressProjection, storedAddress } from "../addresses/found-memories.js";
import { type MemoryDocument, ofMark } from "./document.js";
import type { DocumentContext } from "./document-context.js";

/** How many memories one command finds: the server keeps a cursor that is not asked for 10 minutes. */
const foundAtOnce = 100;

const projection = { ...addressProjection, hasVersions: 1 } as const;

/**
 * Removes all memories that have expired, with their versions. MongoDB does so too, about a minute after their end, and
 * leaves the versions until they expire. @returns the address of each
 */
export async function* sweepDocuments(
  { collection, ready, expiry, history, versions }: DocumentContext,
  call: CallContext,
): AsyncGenerator<CheckedAddress | null> {
  await ready();
  for (const scope of memoryScopes) {
    const deadline = expiry.deadline(scope);
    if (deadline === null) continue;
    const expired = { updatedAt: { $lte: deadline }, revision: { $not: ofMark } };
    // Written as the index of the scope is.
    const filter = { scope, nodeId: { $type: "string" }, ...expired };
    const options = { projection, batchSize: foundAtOnce, ...asPlainValues };
    for await (const document of streaming(collection.find<MemoryDocument>(filter, options, call))) {
      const { _id, hasVersions } = document;
      // Nothing where it has been changed since.
      if ((await collection.deleteOne({ _id, ...expired }, {}, call)) === 0) continue;
      if (hasVersions === true && history !== null) await versions.remove(String(_id), call);
      yield addressOrNull(storedAddress(document));
    }
  }
}
