import type { CallContext } from "../../../core/runtime/call.js";
import { type CheckedAddress, type MemoryScope, memoryScopes, ownerFields } from "../../../core/values/address.js";
import { streaming } from "../../driver/reads.js";
import { addressProjection, parseAddress } from "./found-memories.js";
import { lookUpHead, type MemoriesContext } from "../memory-context.js";
import { isOutdated } from "../documents/earlier-documents.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { measurePages } from "./memory-summaries.js";
import { isOverdue } from "../outbox/outbox.js";
import { contentBytes } from "../documents/page-sizes.js";

export interface MemoryFacts {
  address: CheckedAddress;
  /** Counted as `maxMemoryBytes` counts. */
  sizeBytes: number;
  /** Whether the memory has an earlier form, which `migrate earlier-format` rewrites. */
  outdated: boolean;
  /** Whether changes of the history have not been moved to their collection, although there are many. */
  isHistoryOverdue: boolean;
}

export interface NodeFacts {
  nodeId: string;
  scope: MemoryScope;
}

const recorded = { $ifNull: ["$outbox", []] };
const outboxSize = { recorded: { $size: recorded }, recordedBytes: { $bsonSize: { recorded } } };

type FoundFacts = MemoryDocument &
  Pick<MemoryFacts, "sizeBytes" | "outdated"> &
  Record<"recorded" | "recordedBytes", number>;

export async function* readFacts(
  context: MemoriesContext,
  address: CheckedAddress | null,
  call: CallContext,
): AsyncGenerator<MemoryFacts> {
  const sizeBytes = contentBytes("$$ROOT");
  const isHead = { $or: [{ nodeId: { $exists: true } }, { lo: { $exists: false } }] };
  const pipeline = [
    { $match: address === null ? isHead : { $or: [lookUpHead({ address }), address] } },
    { $project: { ...addressProjection, key: 1, hi: 1, sizeBytes, outdated: isOutdated, ...outboxSize } },
  ];
  const found = context.collection.aggregate<FoundFacts>(pipeline, call);
  for await (const head of streaming(found)) {
    const stored = parseAddress(head);
    // No memory can have such ids.
    if (stored === null) continue;
    const others = await measurePages(context, head, call);
    yield {
      address: stored,
      sizeBytes: head.sizeBytes + others.sizeBytes,
      outdated: head.outdated,
      isHistoryOverdue: isOverdue(
        Math.max(head.recorded, ...others.outboxes.map(({ changes }) => changes.length)),
        Math.max(head.recordedBytes, others.recordedBytes),
      ),
    };
  }
}

export async function* readNodes(
  { collection }: MemoriesContext,
  limit: number,
  call: CallContext,
): AsyncGenerator<NodeFacts> {
  for (const scope of memoryScopes) {
    const ownerField = ownerFields[scope];
    const anyText = { $gte: "" };
    // The server skips from node to node in the index only if the filter bounds every field of the index.
    const ofScope = { scope, nodeId: anyText, ...(ownerField !== null && { [ownerField]: anyText }) };
    const pipeline = [{ $match: ofScope }, { $group: { _id: "$nodeId" } }, { $limit: limit }];
    const found = collection.aggregate<{ _id: string }>(pipeline, call);
    for await (const { _id: nodeId } of streaming(found)) yield { nodeId, scope };
  }
}
