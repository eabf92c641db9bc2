import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull, memoryScopes, type OwnerField } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { isBadHint, storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import { isAddress, ownerOfAnyNode } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, storedAddress } from "../addresses/found-memories.js";
import { type Expression, literal, where } from "../expressions.js";
import { type OutboxVersions, type RemovedMemories, unnameVersions } from "../removal.js";
import { measurePages } from "./measure-pages.js";
import { countFiles, type CountedDocument, countProjection } from "./memory-summaries.js";
import { actorName, isRecordedBy } from "./outbox/outbox.js";
import { moveVersions } from "./outbox/outbox-source.js";
import { getIncarnation, type MemoryDocument } from "./page-document.js";
import { outboxIndex, pageIndex } from "./page-indexes.js";
import { getIdRange, getPagesRange, parsePageId } from "./page-keys.js";
import { lookUpIncarnation } from "./page-target.js";
import { lookUpHead, lookUpRange, type MemoryContext, openContext, type PagesContext } from "./pages-context.js";

/*
 * A memory of several pages ends with its head, which goes last: until then no new memory can begin, and after that no
 * command finds a page of it. A crash in between leaves ranges that read as empty, and the next removal goes on.
 */

/** Also counts the versions in the outbox of a removed head: one for each file, or one for directories alone. */
const removalProjection: Record<string, Expression> = {
  ...countProjection,
  ...addressProjection,
  hasVersions: 1,
  versions: {
    $sum: {
      $map: {
        input: { $ifNull: ["$outbox", []] },
        as: "change",
        in: { $max: [1, { $size: "$$change.files" }] },
      },
    },
  },
  firstRevision: { $arrayElemAt: ["$outbox.revision", 0] },
};

type RemovedDocument = CountedDocument & { versions: number; firstRevision: number | null };

/** Matches heads without other pages, which one command removes. */
const isAlone = { hi: null };

const removalOptions = { projection: removalProjection, ...asPlainValues };

/** Removes the memories of a range, including expired ones. Idempotent. */
export async function removeMemories(
  context: PagesContext,
  range: AddressRange,
  call: CallContext,
): Promise<RemovedMemories> {
  const { collection, ready } = context;
  await ready();
  const removed = new Map<string, RemovedDocument>();
  const note = (head: RemovedDocument): unknown => removed.set(getIncarnation(head), head);
  let otherFiles = 0;
  const filter = lookUpRange(context, range);
  const alone = { ...filter, ...isAlone };
  const several = new Map<string, RemovedDocument>();
  if (isAddress(range)) {
    const head = await collection.findOneAndDelete<RemovedDocument>(alone, removalOptions, call);
    if (head !== null) note(head);
  } else {
    for (const head of await collection.find<RemovedDocument>(filter, removalOptions, call).toArray()) {
      if (head.hi === undefined) note(head);
      else several.set(getIncarnation(head), head);
    }
    await collection.deleteMany(alone, {}, call);
  }
  if (!isAddress(range) || removed.size === 0) {
    // Not those of one page: they are gone, or new, and a new one is a memory that this call did not find.
    const split = isAddress(range) ? filter : { ...filter, hi: { $ne: null } };
    for (const head of await collection.find<RemovedDocument>(split, removalOptions, call).toArray())
      several.set(getIncarnation(head), head);
  }
  for (const head of several.values()) {
    const address = addressOrNull(storedAddress(head));
    if (address === null) continue;
    const others = await measurePages(context, head, call);
    const gone = await removeHead(openContext(context, address), head, {}, call);
    if (gone === null) continue;
    otherFiles += others.files;
    note(gone);
  }
  await removeOrphans(context, range, call);
  return { memories: removed.size, ...countRemoved([...removed.values()], otherFiles) };
}

function countRemoved(removed: readonly RemovedDocument[], otherFiles: number): Omit<RemovedMemories, "memories"> {
  return {
    files: removed.reduce((sum, head) => sum + countFiles(head), otherFiles),
    hadVersions: removed.some(({ hasVersions }) => hasVersions === true),
    recorded: removed.flatMap((head): OutboxVersions[] => {
      const { versions: count, firstRevision } = head;
      return firstRevision === null ? [] : [{ versionsId: getIncarnation(head), count, firstRevision }];
    }),
  };
}

/**
 * Removes a memory, its other pages first.
 * @param condition on the head
 * @returns the head, if this call removed it
 */
async function removeHead(
  { collection, knownPages, key }: MemoryContext,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  condition: object,
  call: CallContext,
): Promise<RemovedDocument | null> {
  const pages = { _id: getPagesRange(String(head._id), getIncarnation(head)) };
  const filter = { ...lookUpIncarnation(head), ...condition };
  if (head.hi !== undefined) await collection.deleteMany(pages, {}, call);
  const gone = await collection.findOneAndDelete<RemovedDocument>(filter, removalOptions, call);
  // A split that was under way may have made another page. Now none can come any more.
  if (head.hi !== undefined || gone?.hi !== undefined) await collection.deleteMany(pages, {}, call);
  knownPages.delete(key);
  return gone;
}

/** The time of the last change of memories whose removal has begun. Nobody can change them any more. */
const longAgo = new Date(0);

/** Removes a memory that has expired, unless somebody has changed it meanwhile. @returns whether this call removed it */
async function removeExpiredHead(
  memory: MemoryContext,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  isExpired: object,
  call: CallContext,
): Promise<boolean> {
  const filter = { ...lookUpIncarnation(head), ...isExpired };
  // Else a change that began before the end could find the head, but no other page.
  if (head.hi !== undefined) {
    const { matchedCount } = await memory.collection.updateOne(filter, { $set: { updatedAt: longAgo } }, {}, call);
    if (matchedCount === 0) return false;
  }
  return (await removeHead(memory, head, isExpired, call)) !== null;
}

/** Removes pages whose memory is gone, which a crash can leave. */
async function removeOrphans({ collection }: PagesContext, range: AddressRange, call: CallContext): Promise<void> {
  const ids = getIdRange(range);
  if (ids === null) return;
  const options = { projection: { _id: 1 }, hint: pageIndex.name, ...asPlainValues };
  const pages = await collection.find<{ _id: string }>({ _id: ids, lo: { $gt: "" } }, options, call).toArray();
  const incarnations = new Map(
    pages.flatMap(({ _id }) => {
      const parsed = parsePageId(_id);
      return parsed === null ? [] : [[`${parsed.headId}${parsed.incarnation}`, parsed] as const];
    }),
  );
  for (const { headId, incarnation } of incarnations.values()) {
    const head = await collection.findOne<MemoryDocument>({ _id: headId }, { projection: { key: 1 } }, call);
    if (head !== null && getIncarnation(head) === incarnation) continue;
    await collection.deleteMany({ _id: getPagesRange(headId, incarnation) }, {}, call);
  }
}

/** Removes a memory if it has expired. */
export async function removeExpired(memory: MemoryContext, call: CallContext): Promise<void> {
  const { collection, history, versions, expiry, address } = memory;
  const deadline = expiry.deadline(address.scope);
  if (deadline === null) return;
  const isExpired = { updatedAt: { $lte: deadline } };
  const filter = { ...lookUpHead(memory), ...isExpired };
  const options = { projection: { key: 1, hi: 1 }, ...asPlainValues };
  try {
    const head = await collection.findOne<MemoryDocument>(filter, options, call);
    if (head === null || !(await removeExpiredHead(memory, head, isExpired, call))) return;
    if (history !== null) await versions.remove(getIncarnation(head), call);
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/** How many memories one command finds: the server keeps a cursor that is not asked for 10 minutes. */
const foundAtOnce = 100;

const sweptProjection = { ...addressProjection, key: 1, hi: 1, hasVersions: 1 } as const;

/**
 * Removes all memories that have expired, with their versions. MongoDB removes those of one page too, about a minute
 * after their end, and leaves the versions until they expire. Yields once for each memory that this sweep has removed.
 */
export async function* sweepMemories(context: PagesContext, call: CallContext): AsyncGenerator<void> {
  const { ready, expiry } = context;
  await ready();
  const errors: unknown[] = [];
  for (const scope of memoryScopes) {
    const deadline = expiry.deadline(scope);
    if (deadline === null) continue;
    const isExpired = { updatedAt: { $lte: deadline } };
    for await (const head of findExpired(context, { scope, ...isExpired }, call)) {
      try {
        if (!(await removeSwept(context, head, isExpired, call))) continue;
      } catch (error) {
        errors.push(error);
        continue;
      }
      yield;
    }
  }
  // One that cannot be removed does not stop the others.
  if (errors.length > 0) throw errors[0];
}

/** @returns whether this sweep has removed the memory */
async function removeSwept(
  context: PagesContext,
  head: MemoryDocument,
  isExpired: object,
  call: CallContext,
): Promise<boolean> {
  const { collection, history, versions } = context;
  const address = addressOrNull(storedAddress(head));
  const isGone =
    address === null
      ? (await collection.deleteOne({ _id: head._id, ...isExpired }, {}, call)) > 0
      : await removeExpiredHead(openContext(context, address), head, isExpired, call);
  if (isGone && head.hasVersions === true && history !== null) await versions.remove(getIncarnation(head), call);
  return isGone;
}

/** Finds memories of one page and then those of several, each by its own index, and written as the index is. */
async function* findExpired(
  { collection }: PagesContext,
  isExpired: object,
  call: CallContext,
): AsyncGenerator<MemoryDocument> {
  const options = { projection: sweptProjection, batchSize: foundAtOnce, ...asPlainValues };
  for (const pages of [isAlone, { hi: { $gt: "" } }]) {
    const filter = { ...isExpired, nodeId: { $type: "string" }, ...pages };
    yield* streaming(collection.find<MemoryDocument>(filter, options, call));
  }
}

/** Removes a person or a thread from the authors of changes to memories of others. */
export async function unname(context: PagesContext, range: AddressRange, call: CallContext): Promise<void> {
  const field = ownerOfAnyNode(range);
  const id = field === null ? undefined : range[field];
  if (field === null || id === undefined) return;
  await unnameOutboxes(context, field, id, call);
  await unnameVersions(context, range, call);
}

/** Removes the author of changes that have not become versions yet. These changes become versions first. */
async function unnameOutboxes(context: PagesContext, field: OwnerField, id: string, call: CallContext): Promise<void> {
  const { collection } = context;
  const name = actorName(field, id);
  const others: Expression = { $setDifference: ["$outboxActors", literal([name])] };
  const options = { projection: addressProjection, hint: outboxIndex.name };
  try {
    for await (const { _id, ...stored } of streaming(
      collection.find<MemoryDocument>({ outboxActors: name }, options, call),
    )) {
      const address = addressOrNull(storedAddress(stored));
      if (address !== null) await moveVersions(openContext(context, address), call);
      // The name stays if another change by the same author came meanwhile.
      const update = [{ $set: { outboxActors: where(isRecordedBy(field, id), "$outboxActors", others) } }];
      await collection.updateOne({ _id, outboxActors: name }, update, {}, call);
    }
  } catch (error) {
    // Without the index no store has ever kept a history here.
    if (!isBadHint(MemoryError.isInstance(error) ? error.cause : error)) throw error;
  }
}
