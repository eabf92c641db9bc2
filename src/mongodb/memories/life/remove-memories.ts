import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull } from "../../../core/values/address.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, parseAddress } from "../listing/found-memories.js";
import type { ForgottenCounts } from "../addresses/memory-filter.js";
import type { Expression } from "../documents/expressions.js";
import { lookUpRange, type MemoriesContext, type PagedMemory, openContext } from "../memory-context.js";
import { publicId } from "../../history/version-document.js";
import {
  type CountedDocument,
  countProjection,
  type MeasuredPages,
  measurePages,
  noPages,
  type CountedChange,
  type CountedOutbox,
  recordedChanges,
} from "../listing/memory-summaries.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { pageIndex } from "../documents/page-indexes.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { getIdRange, getPagesRange, parsePageId } from "../documents/page-ids.js";

/*
 * Removing the head ends a memory of several pages, so the head is removed last. Until then no new memory can begin,
 * and after that no command finds a page of it. A crash in between leaves ranges that read as empty, and the next
 * removal goes on.
 */

const removalProjection: Record<string, Expression> = {
  ...countProjection,
  ...addressProjection,
  hasVersions: 1,
  changes: recordedChanges,
};

type RemovedDocument = CountedDocument & { changes: CountedChange[] };

interface RemovedMemory {
  head: RemovedDocument;
  /** The pages except the head. */
  others: MeasuredPages;
}

/** Matches heads without other pages, which one command removes. */
export const isAlone = { hi: null };

const removalOptions = { projection: removalProjection };

export interface RemovedMemories extends Pick<ForgottenCounts, "memories" | "files"> {
  /** Whether one of the memories had versions in the collection of versions. */
  hadVersions: boolean;
  /** Versions that were stored in the removed memories themselves. */
  recorded: readonly OutboxVersions[];
}

/** The versions that a memory kept itself. Those in the collection with the same ids are copies. */
export interface OutboxVersions {
  /** The prefix of the ids of its versions. */
  versionsId: string;
  ids: string[];
}

/** Removes the memories of a range, including expired ones. Idempotent. */
export async function removeMemories(
  context: MemoriesContext,
  range: AddressRange,
  call: CallContext,
): Promise<RemovedMemories> {
  const { collection, ready } = context;
  await ready();
  const removed = new Map<string, RemovedMemory>();
  const note = (head: RemovedDocument, others = noPages): unknown =>
    removed.set(getIncarnation(head), { head, others });
  const filter = lookUpRange(range);
  const alone = { ...filter, ...isAlone };
  const several = new Map<string, RemovedDocument>();
  const isOne = addressOrNull(range) !== null;
  if (isOne) {
    const head = await collection.findOneAndDelete<RemovedDocument>(alone, call, removalOptions);
    if (head !== null) note(head);
  } else {
    for (const head of await collection.find<RemovedDocument>(filter, call, removalOptions).toArray()) {
      if (head.hi === undefined) note(head);
      else several.set(getIncarnation(head), head);
    }
    await collection.deleteMany(alone, call);
  }
  if (!isOne || removed.size === 0) {
    // Leaves out memories of one page: they are gone already, or new. A new memory is not one that this call found.
    const split = isOne ? filter : { ...filter, hi: { $ne: null } };
    for (const head of await collection.find<RemovedDocument>(split, call, removalOptions).toArray())
      several.set(getIncarnation(head), head);
  }
  for (const head of several.values()) {
    const address = parseAddress(head);
    if (address === null) continue;
    const others = await measurePages(context, head, call);
    const gone = await removeHead(openContext(context, address), head, call);
    if (gone !== null) note(gone, others);
  }
  await removeOrphans(context, range, call);
  context.cache.clear();
  return countRemoved([...removed.values()]);
}

function countRemoved(removed: readonly RemovedMemory[]): RemovedMemories {
  return {
    memories: removed.length,
    files: removed.reduce((sum, { head, others }) => sum + head.files + others.files, 0),
    hadVersions: removed.some(({ head }) => head.hasVersions === true),
    recorded: removed.flatMap(({ head, others }): OutboxVersions[] => {
      const ids = listVersionIds([head, ...others.outboxes]);
      return ids.length === 0 ? [] : [{ versionsId: getIncarnation(head), ids }];
    }),
  };
}

/** Lists the ids of the versions in outboxes: one for each file, or one for directories alone. */
function listVersionIds(outboxes: readonly CountedOutbox[]): string[] {
  return outboxes.flatMap(({ _id, changes }) => {
    const page = parsePageId(_id)?.token ?? "";
    return changes.flatMap(({ revision, files }) =>
      Array.from({ length: Math.max(1, files) }, (_, index) => publicId({ revision, page }, index)),
    );
  });
}

/** Removes a memory, its other pages first. @returns the head, if this call removed it */
async function removeHead(
  { collection, knownPages, key }: PagedMemory,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  call: CallContext,
): Promise<RemovedDocument | null> {
  const pages = { _id: getPagesRange(head._id, getIncarnation(head)) };
  if (head.hi !== undefined) await collection.deleteMany(pages, call);
  const gone = await collection.findOneAndDelete<RemovedDocument>(lookUpIncarnation(head), call, removalOptions);
  // A split that was under way may have made another page. Now none can come any more.
  if (head.hi !== undefined || gone?.hi !== undefined) await collection.deleteMany(pages, call);
  knownPages.delete(key);
  return gone;
}

/** Removes pages whose memory is gone, which a crash can leave. */
async function removeOrphans({ collection }: MemoriesContext, range: AddressRange, call: CallContext): Promise<void> {
  const ids = getIdRange(range);
  if (ids === null) return;
  const options = { projection: { _id: 1 }, hint: pageIndex.name };
  const pages = await collection.find<{ _id: string }>({ _id: ids, lo: { $gt: "" } }, call, options).toArray();
  const incarnations = new Map(
    pages.flatMap(({ _id }) => {
      const parsed = parsePageId(_id);
      return parsed === null ? [] : [[`${parsed.headId}${parsed.incarnation}`, parsed] as const];
    }),
  );
  for (const { headId, incarnation } of incarnations.values()) {
    const head = await collection.findOne<MemoryDocument>({ _id: headId }, call, { projection: { key: 1 } });
    if (head !== null && getIncarnation(head) === incarnation) continue;
    await collection.deleteMany({ _id: getPagesRange(headId, incarnation) }, call);
  }
}
