import type { CallContext } from "../../core/runtime/call.js";
import { runInTimeSlices } from "../../core/runtime/time-slices.js";
import { compareCodeUnits } from "../../core/values/text.js";
import type { PresentMemory, StoredHistory } from "./history-context.js";
import { addHead, createUnlinkedVersions, linkedVersions, pathsBefore, type RecordedChange } from "./outbox.js";
import type { VersionPlace, VersionCollection } from "./version-collection.js";
import { publicId, storedId, type VersionDocument, versionIdRange } from "./version-document.js";

/** Returns the changes in the outboxes as versions, oldest first. One command, or none. */
export async function pendingVersions(
  { memory, outboxes, texts }: Pick<PresentMemory, "memory" | "outboxes" | "texts">,
  versions: VersionCollection,
  call: CallContext,
): Promise<VersionDocument[]> {
  const changes = outboxes.flatMap((outbox) => outbox.changes);
  if (changes.length === 0) return [];
  // The texts are compared while the server searches for the heads.
  const places = outboxes.flatMap((outbox) => listPlaces(memory, outbox.changes));
  const heads = versions.heads(places, call);
  // No two outboxes have changes of the same file.
  const unlinked = runInTimeSlices(createUnlinkedVersions(memory, changes, texts), call);
  const [made, found] = await Promise.all([unlinked, heads]);
  return linkedVersions(made, found).toSorted((a, b) => compareCodeUnits(a._id, b._id));
}

/**
 * Returns the versions of the outboxes, and those of a change after them. The change may concern several pages.
 * @param change null: none
 * @param texts after the change
 */
export async function createVersions(
  present: Pick<PresentMemory, "memory" | "outboxes" | "texts">,
  change: RecordedChange | null,
  texts: ReadonlyMap<string, string>,
  versions: VersionCollection,
  call: CallContext,
): Promise<VersionDocument[]> {
  const pending = await pendingVersions(present, versions, call);
  if (change === null) return pending;
  const heads = await versions.heads(listPlaces(present.memory, [change]), call);
  for (const version of pending) addHead(heads, version);
  const made = await runInTimeSlices(createUnlinkedVersions(present.memory, [change], texts), call);
  return [...pending, ...linkedVersions(made, heads)];
}

/** Lists the paths whose last versions before these changes are needed. */
function listPlaces(memory: string, changes: readonly RecordedChange[]): VersionPlace[] {
  const [first] = changes;
  if (first === undefined) return [];
  const ids = { ...versionIdRange(memory), $lt: storedId(memory, publicId(first, 0)) };
  return pathsBefore(changes).map((path) => ({ path, ids }));
}

/**
 * Moves the recorded changes of a memory into the collection of versions. Any process may do so at any time,
 * concurrently, and again after a crash: each version has a fixed id, and the changes leave the memory only after their
 * versions are stored.
 * @returns whether there were any
 */
export async function flush(
  source: StoredHistory,
  versions: VersionCollection,
  expiresAt: Date | null,
  call: CallContext,
): Promise<boolean> {
  const present = await source.read("recorded", call);
  if (present === null || present.outboxes.length === 0) return false;
  const expiry = expiresAt && { expiresAt };
  const documents = (await pendingVersions(present, versions, call)).map((document) => ({ ...document, ...expiry }));
  await versions.insert({ ...present.owner, ...expiry }, documents, call);
  // The memory was erased meanwhile. Nobody else would find these versions.
  if (!(await source.settle(present, call))) await versions.remove(present.memory, call);
  else
    await versions.applyRetention(
      present.memory,
      documents.flatMap(({ path }) => path ?? []),
      call,
    );
  return true;
}
