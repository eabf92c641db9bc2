import type { MemoryArchive } from "../contract/stored-memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { createHash } from "node:crypto";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { ArchivedTree } from "../../../core/history/archived-version.js";
import { createIndexes } from "../../driver/create-indexes.js";
import type { SnapshotFile } from "../../../core/memory.js";
import { storageError } from "../../driver/errors.js";
import { HistoryView } from "../../history/history-view.js";
import { archiveHistory, insertVersions } from "../../history/archived-history.js";
import type { DocumentContext } from "./document-context.js";
import { flatFields, lookUp } from "./document.js";
import { outboxIndex } from "./document-indexes.js";
import { literal, where } from "../expressions.js";
import { type ArchivedMemory, heldMoment } from "../memory-moment.js";
import { OutboxSource } from "./outbox/outbox-source.js";

export async function readArchived(
  context: DocumentContext,
  address: CheckedAddress,
  call: CallContext,
): Promise<ArchivedMemory | null> {
  const present = await new OutboxSource(context, address).read("tree", call);
  if (present?.tree === undefined) return null;
  const { tree, owner, changes } = present;
  if (owner !== null && changes.length === 0) return { ...heldMoment(tree), history: null };
  return { ...heldMoment(tree), history: archiveHistory(await HistoryView.of(present, context.versions, call)) };
}

const objectIdDigits = 24;

/** First stores the versions, which nobody can see yet. Then creates the memory of the versions in one step. */
export async function restoreMemory(
  context: DocumentContext,
  address: CheckedAddress,
  { tree, history, key }: MemoryArchive,
  call: CallContext,
): Promise<boolean> {
  const { collection, versions, ready, clock, expiry } = context;
  const id = createHash("sha256")
    .update(JSON.stringify([address, key]))
    .digest("hex")
    .slice(0, objectIdDigits);
  try {
    await ready();
    const there = await collection.findOne(lookUp(address), { projection: { revision: 1 } }, call);
    if (there !== null) return false;
    await createIndexes(collection, [outboxIndex], "the history", "memoriesCollection");
    await versions.makeIndexes("memoriesCollection");
    const now = clock();
    const expiresAt = expiry.versionsExpireAt(address.scope, now)?.expiresAt;
    await insertVersions(versions, { _id: id, ...address, ...(expiresAt && { expiresAt }) }, history, call);
    const files = await loaded(tree);
    const createdAt = files.reduce((earliest, file) => (file.createdAt < earliest ? file.createdAt : earliest), now);
    const document = {
      ...address,
      ...flatFields({ files, directories: [...tree.directories] }),
      revision: history.revision,
      createdAt,
      updatedAt: now,
      outbox: [],
      hasVersions: true,
      ...(expiresAt && { versionsExpireAt: expiresAt }),
    };
    const made = { $mergeObjects: [literal(document), { _id: { $toObjectId: id } }] };
    // A document that an upsert creates has no id yet.
    const pipeline = [{ $replaceWith: where({ $eq: [{ $type: "$_id" }, "missing"] }, made, "$$ROOT") }];
    return (
      (await collection.findOneAndUpdate(lookUp(address), pipeline, { upsert: true, projection: { _id: 1 } }, call)) ===
      null
    );
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/** Loads all texts: they fit into one document. */
async function loaded({ files }: ArchivedTree): Promise<SnapshotFile[]> {
  const found: SnapshotFile[] = [];
  for (const { path, sizeBytes, load } of files) found.push({ path, kind: "file", sizeBytes, ...(await load()) });
  return found;
}
