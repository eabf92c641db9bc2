import type { CallContext } from "../../../../core/runtime/call.js";
import { randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import { runInTurns } from "../../../../core/runtime/turns.js";
import type { CheckedAddress } from "../../../../core/values/address.js";
import {
  createUnlinkedVersions,
  type Head,
  linkedVersions,
  pathsBefore,
  type RecordedChange,
  type UnlinkedVersion,
} from "../../../history/outbox.js";
import type { VersionCollection } from "../../../history/version-collection.js";
import { type OwnerDocument, storedId, type VersionDocument } from "../../../history/version-document.js";
import { getMemoryKey, getRootId, type RootHistory, type StoredFile, type StoredRoot } from "../documents.js";
import { byId } from "../file-indexes.js";
import type { FilesContext } from "../files-context.js";
import type { LoadedTree } from "./loaded-tree.js";

/** After this many changes, versions that need not be kept are removed. */
const changesPerRetention = 60;

/** The fields by which the documents of a memory record the versions of some changes. */
export interface RecordedVersions {
  rootFields: Partial<StoredRoot> & { history: RootHistory };
  heads: Map<string, StoredFile["head"]>;
}

/** Returns the history in the root of a memory whose changes have made no version yet. */
export function beginHistory(): RootHistory {
  return { id: randomBytes(12).toString("hex"), revision: 0 };
}

/** Inserts the versions of recorded changes in their transaction. @param tree after the changes */
export async function insertRecorded(
  context: FilesContext,
  session: ClientSession,
  { address, root, history }: { address: CheckedAddress; root: StoredRoot | null; history: RootHistory },
  recorded: readonly RecordedChange[],
  tree: LoadedTree,
  call: CallContext,
): Promise<RecordedVersions> {
  const { expiry, clock, history: kept } = context;
  const isFirst = root?.history === undefined;
  const paths = recorded.flatMap(({ files }) => files.map(({ path }) => path));
  const texts = new Map(
    paths.flatMap((path) => tree.files.get(path) ?? []).map(({ path, content }) => [path, content]),
  );
  const unlinked = await runInTurns(createUnlinkedVersions(history.id, recorded, texts), call);
  const documents = linkedVersions(unlinked, await findHeads(context, history, recorded, tree, call));
  const storedLifetimeMs = kept?.begins === true ? undefined : history.lifetimeMs;
  const lifetimeMs = expiry.lifetimeMs(address.scope) ?? storedLifetimeMs;
  const { lifetimeMs: _former, ...rest } = history;
  const next: RootHistory = { ...rest, revision: history.revision + recorded.length };
  const updatedAt = clock();
  let expires = {};
  if (lifetimeMs !== undefined) {
    const { expiresAt } = getExpiry(lifetimeMs, updatedAt);
    expires = { expiresAt };
    next.lifetimeMs = lifetimeMs;
    // Versions without an expiry time were made when nothing expired, or come from an archive. They count as due now,
    // and `prolong` gives them a time.
    const former = history.expiresAt ?? (isFirst ? expiresAt : updatedAt);
    next.expiresAt = former < expiresAt ? former : expiresAt;
  }
  const owner: OwnerDocument = { _id: history.id, ...address, ...expires };
  await context.versions.insertIn(
    session,
    [...(isFirst ? [owner] : []), ...documents.map((document): VersionDocument => ({ ...document, ...expires }))],
    call,
  );
  return { rootFields: { history: next, updatedAt }, heads: headsAfter(unlinked) };
}

/**
 * Reads the last versions of the paths before the changes. A file contains its own, unless it was not changed since the
 * history began.
 */
async function findHeads(
  context: FilesContext,
  { id, revision }: RootHistory,
  recorded: readonly RecordedChange[],
  { loaded }: LoadedTree,
  call: CallContext,
): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  const unknown: string[] = [];
  for (const path of pathsBefore(recorded)) {
    const document = loaded.get(path);
    if (document !== undefined && "head" in document && document.head !== undefined)
      heads.set(path, { ...document.head, gone: false });
    else unknown.push(path);
  }
  if (revision === 0 || unknown.length === 0) return heads;
  // Read outside the transaction, because servers refuse `$unionWith` in a transaction. `revision + 1` excludes
  // versions of changes that this transaction does not see.
  for (const [path, head] of await context.versions.heads(id, unknown, revision + 1, call)) heads.set(path, head);
  return heads;
}

function headsAfter(versions: readonly UnlinkedVersion[]): RecordedVersions["heads"] {
  const heads: RecordedVersions["heads"] = new Map();
  for (const { id, document, file } of versions) {
    if (file?.from !== undefined) heads.delete(file.from);
    if (file?.gone === true) heads.delete(file.path);
    else if (file !== null && document.file !== undefined) heads.set(file.path, { id, file: document.file });
  }
  return heads;
}

/** Computes the same times as `MemoryExpiry`, from the lifetime that the memory records. */
function getExpiry(lifetimeMs: number, now: Date): { latest: Date; expiresAt: Date } {
  return { latest: new Date(now.getTime() + lifetimeMs), expiresAt: new Date(now.getTime() + 2 * lifetimeMs) };
}

/** Lets versions live as long as the memory. The change is made, even if this fails: the next change tries again. */
export async function prolong(
  context: FilesContext,
  address: CheckedAddress,
  { id, expiresAt, lifetimeMs }: RootHistory,
  call: CallContext,
): Promise<void> {
  if (lifetimeMs === undefined || expiresAt === undefined) return;
  const until = getExpiry(lifetimeMs, context.clock());
  if (expiresAt >= until.latest) return;
  try {
    await context.versions.prolong(id, until.expiresAt, call);
    const filter = { _id: getRootId(getMemoryKey(address)), "history.id": id };
    await context.collection.updateOne(filter, { $set: { "history.expiresAt": until.expiresAt } }, byId, call);
  } catch {
    // Nothing is lost: the versions are kept for a while.
  }
}

/** Removes versions from time to time that need not be kept. @param before the revision before the last changes */
export async function retain(
  versions: VersionCollection,
  history: RootHistory,
  before: number,
  call: CallContext,
): Promise<void> {
  if (Math.floor(history.revision / changesPerRetention) > Math.floor(before / changesPerRetention))
    await dropOld(versions, history, call, before);
}

/**
 * Removes old versions of the last changes. Looks back two intervals, because a process may have died before it removed
 * any.
 */
export async function dropOld(
  versions: VersionCollection,
  { id, revision }: Pick<RootHistory, "id" | "revision">,
  call: CallContext,
  since = revision,
): Promise<void> {
  if (!versions.dropsSome) return;
  const start = Math.max(0, since - 2 * changesPerRetention);
  const paths = await versions.pathsWithin(
    {
      $gte: storedId(id, String(start)),
      $lt: storedId(id, String(revision + 1)),
    },
    call,
  );
  await versions.applyRetention(id, paths, call);
}
