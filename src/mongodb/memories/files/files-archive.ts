import { createHash } from "node:crypto";
import type { CheckedAddress } from "../../../core/address.js";
import type { ArchivedHistory, ArchivedMemory } from "../../../core/archived-version.js";
import { MemoryError } from "../../../core/errors.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import { ROOT } from "../../../core/paths.js";
import { MemoryTree } from "../../../core/tree.js";
import { inTransaction } from "../../driver/transactions.js";
import { HistoryView } from "../../history/history-view.js";
import { insertVersions } from "../../history/insert-versions.js";
import { archivedVersion } from "../../history/version-document.js";
import { idOfPath, memoryKeyOf, placeOfFile, rootIdOf } from "./document-ids.js";
import { refuseElsewhere } from "./elsewhere.js";
import { type FilesContext, versionsInCall } from "./files-context.js";
import { FilesHistory } from "./files-history.js";
import type { StoredDocument } from "./stored-document.js";
import { StoredFiles } from "./stored-files.js";
import { newTextId } from "./text-id.js";
import { transactionError } from "../transaction-errors.js";

export async function archivedMemory(context: FilesContext, address: CheckedAddress): Promise<ArchivedMemory | null> {
  const present = await new FilesHistory(context, new StoredFiles(context, address)).read("tree");
  if (present?.tree === undefined) return null;
  const { tree, revision } = present;
  if (revision === 0) return { tree, history: null };
  const view = await HistoryView.of(present, versionsInCall(context));
  const each: ArchivedHistory["each"] = async (use) => {
    for await (const version of view.newerThan(0)) await use(archivedVersion(version));
  };
  return { tree, history: { revision, each } };
}

interface Restored {
  address: CheckedAddress;
  tree: MemorySnapshot;
  history: ArchivedHistory;
  key: string;
}

const idDigits = 24;

/** First the versions, which nobody sees, then in one step the memory that they are of. */
export async function restoreMemory(context: FilesContext, { address, tree, history, key }: Restored): Promise<boolean> {
  const { collection, transactions, call, ready, clock, expiry } = context;
  const versions = versionsInCall(context);
  // Not that of the same archive in the other layout, as their versions lie in one collection.
  const id = createHash("sha256").update(JSON.stringify([address, key, "files"])).digest("hex").slice(0, idDigits);
  const _id = rootIdOf(memoryKeyOf(address));
  try {
    await ready();
    const there = await collection.findOne<Pick<StoredDocument, "kind">>({ _id }, { projection: { kind: 1 } });
    refuseElsewhere(context, there);
    if (there !== null) return false;
    await versions.makeIndexes("memoriesCollection");
    const now = clock();
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    const expiresAt = expiry.versionsExpireAt(address.scope, now)?.expiresAt;
    await insertVersions(versions, { _id: id, ...address, ...(expiresAt && { expiresAt }) }, history);
    const kept = { id, revision: history.revision, ...(lifetimeMs !== null && { lifetimeMs }), ...(expiresAt && { expiresAt }) };
    const documents = documentsOf(address, tree, now).map((document) => (document._id === _id ? { ...document, history: kept } : document));
    return await inTransaction(transactions, call, async (session) => {
      if ((await collection.findOne({ _id }, { projection: { _id: 1 }, session })) !== null) return false;
      // Of a memory that was restored from the same archive, went on, and was forgotten halfway.
      await versions.removeAfter(session, id, history.revision);
      await collection.insertMany(documents, { session });
      return true;
    });
  } catch (error) {
    throw MemoryError.isInstance(error) ? error : transactionError(error);
  }
}

function documentsOf(address: CheckedAddress, tree: MemorySnapshot, now: Date): StoredDocument[] {
  const key = memoryKeyOf(address);
  // With those that only a file below them shows.
  const { files, directories } = new MemoryTree(tree).snapshot();
  const createdAt = files.reduce((earliest, file) => (file.createdAt < earliest ? file.createdAt : earliest), now);
  const directoryOf = (path: string): StoredDocument => ({ _id: idOfPath(key, path), kind: "dir", made: 1, createdAt, updatedAt: now });
  return [
    { ...directoryOf(ROOT), ...address },
    ...directories.map(directoryOf),
    ...files.map((file): StoredDocument => {
      const { path, content: text, sizeBytes, createdAt: made, updatedAt } = file;
      return { ...placeOfFile(key, path), kind: "file", text, textId: newTextId(), sizeBytes, createdAt: made, updatedAt };
    }),
  ];
}
