import type { CallContext } from "../../../core/runtime/call.js";
import type { Document } from "mongodb";
import { memoryScopes, ownerFields } from "../../../core/values/address.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import type { NodeFacts } from "../contract/layout.js";

/**
 * Reads each node with a memory of each scope, from the documents that contain addresses.
 * @param limit the maximum number of nodes for each scope
 */
export async function* listNodes<Stored extends Document>(
  collection: ExactCollection<Stored>,
  limit: number,
  call: CallContext,
): AsyncGenerator<NodeFacts> {
  for (const scope of memoryScopes) {
    const ownerField = ownerFields[scope];
    const anyText = { $gte: "" };
    // The server skips from node to node in the index only if the filter bounds every field of the index.
    const ofScope = { scope, nodeId: anyText, ...(ownerField !== null && { [ownerField]: anyText }) };
    const pipeline = [{ $match: ofScope }, { $group: { _id: "$nodeId" } }, { $limit: limit }];
    const found = collection.aggregate<{ _id: string }>(pipeline, { ...asPlainValues }, call);
    for await (const { _id: nodeId } of streaming(found)) yield { nodeId, scope };
  }
}
