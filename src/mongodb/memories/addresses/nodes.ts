import type { CallContext } from "../../../core/runtime/call.js";
import type { Document } from "mongodb";
import { memoryScopes, ownerFields } from "../../../core/values/address.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import type { NodeFacts } from "../contract/layout.js";

/**
 * Each node with a memory of that scope, by the documents that say which memories there are. @param limit so many of
 * each scope at most
 */
export async function* listNodes<Stored extends Document>(
  collection: ExactCollection<Stored>,
  limit: number,
  call: CallContext,
): AsyncGenerator<NodeFacts> {
  for (const scope of memoryScopes) {
    const ownerField = ownerFields[scope];
    const anyText = { $gte: "" };
    // The server goes from node to node in the index only where the filter bounds every field of it.
    const ofScope = { scope, nodeId: anyText, ...(ownerField !== null && { [ownerField]: anyText }) };
    const pipeline = [{ $match: ofScope }, { $group: { _id: "$nodeId" } }, { $limit: limit }];
    const found = collection.aggregate<{ _id: string }>(pipeline, { ...asPlainValues }, call);
    for await (const { _id: nodeId } of streaming(found)) yield { nodeId, scope };
  }
}
