import type { CallContext } from "../../../core/runtime/call.js";
import { isBadHint, storageError } from "../../driver/errors.js";
import { streaming } from "../../driver/reads.js";
import { ownerOfAnyNode, rangeFilter, type RangeOwner } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, parseAddress } from "../listing/found-memories.js";
import type { ForgottenCounts } from "../addresses/memory-filter.js";
import { type Expression, literal, where } from "../documents/expressions.js";
import { type MemoriesContext, openContext } from "../memory-context.js";
import { actorName, isRecordedBy } from "../outbox/outbox.js";
import { moveVersions } from "../outbox/outbox-source.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { outboxIndex } from "../documents/page-indexes.js";
import { removeExpired } from "./expire.js";
import { findGoneMemories, removeVersions } from "./gone-versions.js";
import { findMentions } from "./mentions.js";
import { type OutboxVersions, removeMemories } from "./remove-memories.js";

/**
 * Removes the memories of a range with everything that belongs to them. The memories are removed first, so that nobody
 * can add a version in between. If a crash interrupts the removal, the documents that name the owners of versions
 * remain. The next removal finds the versions by these documents.
 * @param itemsCollection where else to look for texts that mention the thread or user. Null: nowhere
 * @throws MemoryError EIO
 */
export async function forgetRange(
  context: MemoriesContext,
  range: AddressRange,
  { itemsCollection }: { itemsCollection: string | null },
  call: CallContext,
): Promise<ForgottenCounts> {
  const { records, vectors, history } = context;
  const startMs = performance.now();
  const filter = rangeFilter(range);
  const owner = ownerOfAnyNode(range);
  const proposals = await records.remove(filter, owner, call);
  try {
    const { hadVersions, recorded, ...counts } = await removeMemories(context, range, call);
    const mayHaveVersions = history !== null || hadVersions || recorded.length > 0 || counts.memories === 0;
    const moved = mayHaveVersions ? await removeVersionsOfRange(context, recorded, range, call) : 0;
    await vectors.remove(filter, call);
    const erased = { ...counts, versions: recorded.reduce((sum, { ids }) => sum + ids.length, moved), proposals };
    const isLooking = owner !== null && itemsCollection !== null;
    const mentions = isLooking ? await findMentions(context, itemsCollection, owner.id, startMs, call) : null;
    return mentions === null ? erased : { ...erased, mentions };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/**
 * Removes the versions of a range. A store without history keeps the authors of changes to other memories.
 * @returns the number of removed versions, without those that the documents of the memories have recorded
 */
async function removeVersionsOfRange(
  context: MemoriesContext,
  recorded: readonly OutboxVersions[],
  range: AddressRange,
  call: CallContext,
): Promise<number> {
  const { history } = context;
  const copies = new Map(recorded.map(({ versionsId, ids }) => [versionsId, ids]));
  let count = 0;
  for await (const gone of findGoneMemories(context, range, call))
    for (const memory of gone) count += await removeVersions(context, memory, call, copies.get(memory));
  if (history !== null) await unname(context, range, call);
  return count;
}

/** Removes a person or a thread from the authors and redactors of changes to memories of others. */
async function unname(context: MemoriesContext, range: AddressRange, call: CallContext): Promise<void> {
  const owner = ownerOfAnyNode(range);
  if (owner === null) return;
  await unnameOutboxes(context, owner, call);
  await context.versions.unname(owner.field, owner.id, call);
}

/** Removes the author of changes that have not become versions yet. These changes become versions first. */
async function unnameOutboxes(context: MemoriesContext, { field, id }: RangeOwner, call: CallContext): Promise<void> {
  const { collection } = context;
  const name = actorName(field, id);
  const others: Expression = { $setDifference: ["$outboxActors", literal([name])] };
  const options = { projection: addressProjection, hint: outboxIndex.name };
  try {
    for await (const page of streaming(collection.find<MemoryDocument>({ outboxActors: name }, call, options))) {
      const address = parseAddress(page);
      if (address !== null) {
        const memory = openContext(context, address);
        // No other command finds a memory that has expired, so its changes would not become versions.
        await removeExpired(memory, call);
        await moveVersions(memory, call);
      }
      // The name stays if another change by the same author came meanwhile.
      const update = [{ $set: { outboxActors: where(isRecordedBy(field, id), "$outboxActors", others) } }];
      await collection.updateOne({ _id: page._id, outboxActors: name }, update, call);
    }
  } catch (error) {
    // Without the index no store has ever kept a history here.
    if (!isBadHint(error)) throw error;
  }
}
