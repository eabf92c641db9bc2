import { MemoryError } from "../../core/values/errors.js";
import type { CallContext } from "../../core/runtime/call.js";
import { isUnauthorized, storageError } from "../driver/errors.js";
import { ownerOfAnyNode } from "./addresses/address-keys.js";
import type { AddressRange } from "./addresses/address-ranges.js";
import type { ForgottenCounts } from "./addresses/memory-filter.js";
import type { HistorySettings, SharedCollections } from "./contract/store-context.js";

export interface RemovalContext extends Pick<SharedCollections, "versions" | "records" | "vectors"> {
  history: Pick<HistorySettings, "begins"> | null;
}

/** The memories themselves, without what is kept beside them. */
export interface RemovableMemories {
  removeMemories(range: AddressRange, call: CallContext): Promise<RemovedMemories>;
  /** Removes the thread or user of a range from all changes to memories of others. */
  unnameChanges(range: AddressRange, call: CallContext): Promise<void>;
  /** Finds the first parts of the ids of versions for the memories of a range, including expired ones. */
  findVersionIds(range: AddressRange, call: CallContext): Promise<string[]>;
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
  memories: RemovableMemories,
  range: AddressRange,
  call: CallContext,
): Promise<ForgottenCounts> {
  const { versions, records, vectors, history } = context;
  const proposals = await records.remove(range, call);
  try {
    const { hadVersions, recorded, ...counts } = await memories.removeMemories(range, call);
    const mayHaveVersions = history !== null || hadVersions || recorded.length > 0 || counts.memories === 0;
    const moved = mayHaveVersions ? await removeVersions({ versions, history, recorded }, memories, range, call) : 0;
    await vectors.remove(range, call);
    return { ...counts, versions: recorded.reduce((sum, { count }) => sum + count, moved), proposals };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

type RemovedVersions = Pick<RemovalContext, "versions" | "history"> & Pick<RemovedMemories, "recorded">;

/**
 * Removes the versions of a range. A store without history may lack the rights for versions of another store, and keeps
 * the authors of changes to other memories.
 * @returns the number of removed versions, without those that the documents of the memories have recorded
 */
async function removeVersions(
  { versions, history, recorded }: RemovedVersions,
  memories: RemovableMemories,
  range: AddressRange,
  call: CallContext,
): Promise<number> {
  try {
    const owned: string[] = [];
    for await (const memory of versions.memories({ ...range }, call)) owned.push(memory);
    const live = new Set(owned.length === 0 ? [] : await memories.findVersionIds(range, call));
    const firstRevisions = new Map(recorded.map(({ versionsId, firstRevision }) => [versionsId, firstRevision]));
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each)))
      count += await versions.remove(memory, call, firstRevisions.get(memory));
    if (history !== null) await memories.unnameChanges(range, call);
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
