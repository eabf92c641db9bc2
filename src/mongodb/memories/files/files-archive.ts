import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryArchive } from "../contract/stored-memory.js";
import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { ArchivedHistory, ArchivedTree } from "../../../core/history/archived-version.js";
import { MemoryError } from "../../../core/values/errors.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { archiveHistory, insertVersions } from "../../history/archived-history.js";
import { HistoryView } from "../../history/history-view.js";
import type { ArchivedMemory } from "../memory-moment.js";
import { isTooMuch } from "../transaction-errors.js";
import {
  idOfPath,
  getMemoryKey,
  placeOfFile,
  getRootId,
  type StoredDirectory,
  type StoredDocument,
  type StoredFile,
  type StoredRoot,
} from "./documents.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";
import { toPresent } from "./files-history.js";
import { FilesSnapshot, type ListedRoot } from "./files-snapshot.js";
import { FilesExpiry } from "./files-expiry.js";
import { newChangeId } from "../change-id.js";

export function readArchived(
  context: FilesContext,
  address: CheckedAddress,
  call: CallContext,
): Promise<ArchivedMemory | null> {
  const { collection, transactions, ready } = context;
  return reading(async () => {
    await ready();
    const isPresent = await new FilesExpiry(context, address).isPresent(call);
    return FilesSnapshot.open(transactions.client, collection, address, async (moment, root) => {
      refuseElsewhere(context, root);
      if (root === null || !isPresent) return null;
      const { files, directories } = moment;
      const read: ArchivedMemory["read"] = (paths) => moment.read(paths);
      return { files, directories, read, close: () => moment.close(), history: await readHistory(context, root, call) };
    });
  });
}

/** Texts are not needed to list the versions. */
async function readHistory(
  context: FilesContext,
  root: ListedRoot,
  call: CallContext,
): Promise<ArchivedHistory | null> {
  const present = toPresent(root, new Map());
  return present.revision === 0 ? null : archiveHistory(await HistoryView.of(present, context.versions, call));
}

const idDigits = 24;

/** The size of one insert. A larger file is inserted alone. */
const maxBatch = { files: 1000, bytes: 4_000_000 };

/** First stores the versions, which nobody can see yet. Then creates the memory of the versions in one step. */
export async function restoreMemory(
  context: FilesContext,
  address: CheckedAddress,
  { tree, history, key }: MemoryArchive,
  call: CallContext,
): Promise<boolean> {
  const { collection, transactions, versions, ready, clock, expiry } = context;
  // The id includes the layout: both layouts store their versions in one collection, and the same archive must not
  // share them.
  const id = createHash("sha256")
    .update(JSON.stringify([address, key, "files"]))
    .digest("hex")
    .slice(0, idDigits);
  const _id = getRootId(getMemoryKey(address));
  try {
    await ready();
    const there = await collection.findOne<Pick<StoredDocument, "kind">>({ _id }, { projection: { kind: 1 } }, call);
    refuseElsewhere(context, there);
    if (there !== null) return false;
    await versions.makeIndexes("memoriesCollection");
    const now = clock();
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    const expiresAt = expiry.versionsExpireAt(address.scope, now)?.expiresAt;
    await insertVersions(versions, { _id: id, ...address, ...(expiresAt && { expiresAt }) }, history, call);
    const kept = {
      id,
      revision: history.revision,
      ...(lifetimeMs !== null && { lifetimeMs }),
      ...(expiresAt && { expiresAt }),
    };
    return await inTransaction(transactions, call, async (session) => {
      if ((await collection.findOne({ _id }, { projection: { _id: 1 }, session }, call)) !== null) return false;
      // A memory may have been restored from this archive, changed further, and only partly forgotten: later versions
      // remain.
      await versions.removeAfter(session, id, history.revision, call);
      const createdAt = await insertFiles(context, session, address, tree, now, call);
      const [root, ...directories] = createDirectories(address, tree, { createdAt, updatedAt: now });
      const withHistory: StoredRoot = { ...root, history: kept };
      await collection.insertMany([withHistory, ...directories], { session }, call);
      return true;
    });
  } catch (error) {
    throw isTooMuch(error) ? tooMuchToRestore(error) : storageError(error, "write", null);
  }
}

/** Inserts in batches, because all files may be more than the process can hold. @returns the earliest creation time */
async function insertFiles(
  { collection }: FilesContext,
  session: ClientSession,
  address: CheckedAddress,
  { files }: ArchivedTree,
  now: Date,
  call: CallContext,
): Promise<Date> {
  const key = getMemoryKey(address);
  let earliest = now;
  let batch: StoredFile[] = [];
  let bytes = 0;
  const insert = async (): Promise<void> => {
    if (batch.length > 0) await collection.insertMany(batch, { session }, call);
    batch = [];
    bytes = 0;
  };
  for (const { path, sizeBytes, load } of files) {
    if (batch.length === maxBatch.files || bytes + sizeBytes > maxBatch.bytes) await insert();
    const { content: text, createdAt, updatedAt } = await load();
    batch.push({
      ...placeOfFile(key, path),
      kind: "file",
      text,
      textId: newChangeId(),
      sizeBytes,
      createdAt,
      updatedAt,
    });
    bytes += sizeBytes;
    if (createdAt < earliest) earliest = createdAt;
  }
  await insert();
  return earliest;
}

/**
 * Creates the documents of all directories, the root first. Includes directories that only the path of a file implies.
 */
function createDirectories(
  address: CheckedAddress,
  { files, directories }: ArchivedTree,
  times: Pick<StoredDirectory, "createdAt" | "updatedAt">,
): [StoredRoot, ...StoredDirectory[]] {
  const key = getMemoryKey(address);
  const paths = new Set(
    [...directories, ...[...files.map(({ path }) => path), ...directories].flatMap((path) => getParents(path))].filter(
      (path) => path !== ROOT,
    ),
  );
  const createDirectory = (path: string): StoredDirectory => ({
    _id: idOfPath(key, path),
    kind: "dir",
    made: 1,
    ...times,
  });
  return [{ ...createDirectory(ROOT), ...address }, ...Array.from(paths, createDirectory)];
}

function tooMuchToRestore(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory is more than this MongoDB server makes in one transaction (transactionLifetimeLimitSeconds, 60 by default, and the size of its cache); it was not made; leave its history out";
  return new MemoryError("ENOSPC", message, { cause });
}
