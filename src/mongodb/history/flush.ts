import type { FlushSource, PresentMemory } from "./history-source.js";
import { pathsBefore, versionsOf } from "./outbox.js";
import type { VersionCollection } from "./version-collection.js";
import type { VersionDocument } from "./version-document.js";

/** What the outbox holds, as versions. One command, or none. */
export async function pendingVersions({ memory, changes, texts }: PresentMemory, versions: VersionCollection): Promise<VersionDocument[]> {
  const [first] = changes;
  if (first === undefined) return [];
  return versionsOf(memory, changes, texts, await versions.heads(memory, pathsBefore(changes), first.revision));
}

/**
 * Moves the recorded changes of a memory into the collection of versions. Anybody may do so at any time, several at once, and again
 * after a crash: a version has one id, and the changes leave the memory only when their versions are there.
 */
export async function flush(source: FlushSource, versions: VersionCollection, expiresAt: Date | null): Promise<void> {
  const present = await source.read("outbox");
  const last = present?.changes.at(-1);
  if (present === null || last === undefined) return;
  const expiry = expiresAt && { expiresAt };
  const documents = (await pendingVersions(present, versions)).map((document) => ({ ...document, ...expiry }));
  await versions.insert(present.owner && { ...present.owner, ...expiry }, documents);
  // Forgotten meanwhile: nobody else would find the versions.
  if (!(await source.settle(present, last.revision))) await versions.remove(present.memory);
  else await versions.applyRetention(present.memory, documents.flatMap(({ path }) => path ?? []));
}
