import type { CallContext } from "../../core/runtime/call.js";
import { runInTimeSlices } from "../../core/runtime/time-slices.js";
import type { PresentMemory, StoredHistory } from "./history-context.js";
import {
  addHead,
  addLineage,
  addTexts,
  createChangeVersions,
  type OutboxVersion,
  pathsBefore,
  type RecordedChange,
} from "./outbox.js";
import type { VersionPlace, VersionCollection } from "./version-collection.js";
import { publicId, storedId, type VersionDocument, versionIdRange } from "./version-document.js";

/** Returns the changes in the outboxes as versions, oldest first in each. One command, or none. */
export async function pendingVersions(
  { memory, outboxes, texts }: Pick<PresentMemory, "memory" | "outboxes" | "texts">,
  versions: VersionCollection,
  call: CallContext,
): Promise<OutboxVersion[]> {
  const pending = outboxes.flatMap(({ changes }) => changes.flatMap((change) => createChangeVersions(memory, change)));
  if (pending.length === 0) return [];
  const places = outboxes.flatMap(({ changes }) => listPlaces(memory, changes));
  // The texts are compared while the server searches for the heads.
  const added = runInTimeSlices(addTexts(pending, texts), call);
  const [heads] = await Promise.all([versions.heads(places, call), added]);
  // No two outboxes have changes of the same file.
  addLineage(pending, heads);
  return pending;
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
  if (change === null) return pending.map(({ document }) => document);
  const heads = await versions.heads(listPlaces(present.memory, [change]), call);
  for (const { document } of pending) addHead(heads, document);
  const made = createChangeVersions(present.memory, change);
  await runInTimeSlices(addTexts(made, texts), call);
  addLineage(made, heads);
  return [...pending, ...made].map(({ document }) => document);
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
  const pending = await pendingVersions(present, versions, call);
  const documents = pending.map(({ document }) => ({ ...document, ...expiry }));
  await versions.insert({ ...present.owner, ...expiry }, documents, call);
  // The memory was erased meanwhile. Nobody else would find these versions.
  if (!(await source.settle(present, call))) await versions.takeBack(present.memory, documents, call);
  else
    await versions.applyRetention(
      present.memory,
      documents.flatMap(({ path }) => path ?? []),
      call,
    );
  return true;
}
