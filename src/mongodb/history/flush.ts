import type { CallContext } from "../../core/runtime/call.js";
import { runInTimeSlices } from "../../core/runtime/time-slices.js";
import { createUnlinkedVersions, linkedVersions, pathsBefore } from "./outbox.js";
import type { VersionCollection } from "./version-collection.js";
import type { VersionDocument } from "./version-document.js";
import type { StoredHistory, PresentMemory } from "./history-context.js";

/** Returns the changes in the outbox as versions. One command, or none. */
export async function pendingVersions(
  { memory, changes, texts }: PresentMemory,
  versions: VersionCollection,
  call: CallContext,
): Promise<VersionDocument[]> {
  const [first] = changes;
  if (first === undefined) return [];
  // The texts are compared while the server searches for the heads.
  const heads = versions.heads(memory, pathsBefore(changes), first.revision, call);
  const unlinked = runInTimeSlices(createUnlinkedVersions(memory, changes, texts), call);
  const [made, found] = await Promise.all([unlinked, heads]);
  return linkedVersions(made, found);
}

/**
 * Moves the recorded changes of a memory into the collection of versions. Any process may do so at any time,
 * concurrently, and again after a crash: each version has a fixed id, and the changes leave the memory only after their
 * versions are stored.
 */
export async function flush(
  source: StoredHistory,
  versions: VersionCollection,
  expiresAt: Date | null,
  call: CallContext,
): Promise<void> {
  const present = await source.read("outbox", call);
  if (present === null || present.changes.length === 0) return;
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
}
