import { MemoryError } from "../../core/values/errors.js";
import type { CallContext } from "../../core/runtime/call.js";
import { isUnauthorized, storageError } from "../driver/errors.js";
import { ownerOfAnyNode } from "./addresses/address-keys.js";
import type { AddressRange } from "./addresses/address-ranges.js";
import type { ForgottenCounts } from "./addresses/memory-filter.js";
import type { KeptLayout, MemoriesBeside } from "./contract/layout.js";
import type { HistorySettings, SharedCollections } from "./contract/layout-context.js";

export interface RemovalContext extends Pick<SharedCollections, "versions" | "records" | "vectors"> {
  history: Pick<HistorySettings, "begins"> | null;
}

/** The part of a removal that each layout does itself. */
export interface RemovableMemories extends Pick<KeptLayout, "placed"> {
  /** Removes the memories of a range from this layout. Forwarding records stay. */
  removeMemories(range: AddressRange, call: CallContext): Promise<RemovedMemories>;
  /** Removes the thread or user of a range from all changes that others have made in this layout. */
  unnameChanges(range: AddressRange, call: CallContext): Promise<void>;
}

export interface RemovedMemories extends Pick<ForgottenCounts, "memories" | "files"> {
  /** Whether one of the memories had versions in the collection of versions. */
  hadVersions: boolean;
  /** Versions that were stored in the removed memories themselves. */
  recorded: readonly OutboxVersions[];
}

/** The versions that a memory kept itself. */
export interface OutboxVersions {
  /** What the ids of its versions begin with. */
  versionsId: string;
  count: number;
  /** The revision of the first of them. What the collection has from there on are copies. */
  firstRevision: number;
}

/**
 * Removes the memories of a range with everything that belongs to them. The memories are removed first, so that nobody
 * can add a version in between. If a crash interrupts the removal, the documents that name the owners of versions
 * remain. The next removal finds the versions by these documents.
 * @throws MemoryError EIO
 */
export async function removeRange(
  context: RemovalContext,
  layout: RemovableMemories,
  range: AddressRange,
  { versionIds, keepsOthers }: MemoriesBeside,
  call: CallContext,
): Promise<ForgottenCounts> {
  const { versions, records, vectors, history } = context;
  const proposals = keepsOthers ? 0 : await records.remove(range, call);
  try {
    const { hadVersions, recorded, ...counts } = await layout.removeMemories(range, call);
    const kept = { versions, history, versionIds, recorded };
    const mayHaveVersions = history !== null || hadVersions || recorded.length > 0 || counts.memories === 0;
    const moved = mayHaveVersions ? await removeVersions(kept, layout, range, call) : 0;
    if (!keepsOthers) await vectors.remove(range, call);
    return { ...counts, versions: recorded.reduce((sum, { count }) => sum + count, moved), proposals };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

type RemovedVersions = Pick<RemovalContext, "versions" | "history"> &
  Pick<MemoriesBeside, "versionIds"> &
  Pick<RemovedMemories, "recorded">;

/**
 * Removes the versions of a range. A store without history may lack the rights for versions of another store, and keeps
 * the authors of changes to other memories.
 * @param versionIds of versions that are kept
 * @returns the number of removed versions, without those that the documents of the memories have recorded
 */
async function removeVersions(
  { versions, history, versionIds, recorded }: RemovedVersions,
  layout: RemovableMemories,
  range: AddressRange,
  call: CallContext,
): Promise<number> {
  try {
    const owned: string[] = [];
    for await (const memory of versions.memories({ ...range }, call)) owned.push(memory);
    const present = owned.length === 0 ? [] : await findVersionIds(layout, range, call);
    const live = new Set([...versionIds, ...present]);
    const firstRevisions = new Map(recorded.map(({ versionsId, firstRevision }) => [versionsId, firstRevision]));
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each)))
      count += await versions.remove(memory, call, firstRevisions.get(memory));
    if (history !== null) await layout.unnameChanges(range, call);
    return count;
  } catch (error) {
    const cause = MemoryError.isInstance(error) ? error.cause : error;
    if (history === null && isUnauthorized(cause)) return 0;
    throw error;
  }
}

/** Removes the thread or user of a range from the authors and redactors of versions. */
export async function unnameVersions(
  { versions }: Pick<RemovalContext, "versions">,
  range: AddressRange,
  call: CallContext,
): Promise<void> {
  const field = ownerOfAnyNode(range);
  const id = field === null ? undefined : range[field];
  if (field !== null && id !== undefined) await versions.unname(field, id, call);
}

/** Finds the first parts of the ids of versions for the memories of a range. */
export async function findVersionIds(
  layout: Pick<KeptLayout, "placed">,
  range: AddressRange,
  call: CallContext,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { versionsId } of layout.placed(range, "memory", call)) ids.push(versionsId);
  return ids;
}
