import type { CallContext } from "../../../core/runtime/call.js";
import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { invalid, MemoryError } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { MovingMemory } from "../contract/layout.js";
import { alreadyThere } from "../moves/moved-memory.js";
import {
  findRoot,
  idOfPath,
  isMark,
  getMemoryKey,
  pathOfId,
  placeOfFile,
  rangeOfMemory,
  rangesBelow,
  getRootId,
  createSnapshot,
  type StoredDirectory,
  type StoredDocument,
  type StoredFile,
  type RootHistory,
  type StoredMark,
  type StoredRoot,
} from "./documents.js";
import { byId } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { countFiles } from "./files-listing.js";
import { changedAfter } from "./files-sweep.js";
import { newChangeId } from "../change-id.js";

/** How many documents one batch contains. */
const batchSize = 1000;

/**
 * If someone else writes one of the documents meanwhile, the server refuses one of the two: either this transaction,
 * which is repeated, or the other change, which then finds the forwarding record. So the first command writes all
 * documents, the root and the upper directories first. From then on, changes wait for the end of the transaction.
 */
export async function leaveFiles(
  context: FilesContext,
  address: CheckedAddress,
  session: ClientSession,
  maxBytes: number,
  call: CallContext,
): Promise<MovingMemory | null> {
  const { collection } = context;
  const key = getMemoryKey(address);
  const counts = maxBytes === Infinity ? null : await countFiles(context, key, call);
  if (counts !== null && counts !== "moved" && counts.sizeBytes > maxBytes) throw tooLarge(maxBytes);
  const held = await collection.updateMany(
    { _id: rangeOfMemory(key), kind: { $in: ["dir", "file"] } },
    { $set: { isLeaving: true } },
    { session, ...byId },
    call,
  );
  if (held === 0 || (await lookForFiles(context, address, session, call)) !== "memory") return null;
  const documents = await readDocuments(context, key, session, maxBytes, call);
  const root = findRoot(documents);
  if (root === undefined) return null;
  for (const _id of rangesBelow(key, ROOT)) await collection.deleteMany({ _id }, { session, ...byId }, call);
  const mark: StoredMark = { _id: root._id, kind: "moved", ...address };
  await collection.updateOne({ _id: root._id }, [{ $replaceWith: { $literal: mark } }], { session, ...byId }, call);
  const updatedAt = [...documents.values()].reduce(
    (latest, document) => (document.updatedAt > latest ? document.updatedAt : latest),
    root.updatedAt,
  );
  const { createdAt, applied, history, formerRevision = 0 } = root;
  return {
    tree: createSnapshot(documents),
    createdAt,
    updatedAt,
    ...(applied && { applied }),
    revision: Math.max(history?.revision ?? 0, formerRevision),
    history:
      history === undefined ? null : { id: history.id, ...(history.expiresAt && { expiresAt: history.expiresAt }) },
  };
}

/** Reads the documents by path. @throws ENOSPC before it has read more than `maxBytes` */
async function readDocuments(
  { collection }: FilesContext,
  key: string,
  session: ClientSession,
  maxBytes: number,
  call: CallContext,
): Promise<Map<string, StoredDocument>> {
  const documents = new Map<string, StoredDocument>();
  let bytes = 0;
  for await (const document of collection.find<StoredDocument>(
    { _id: rangeOfMemory(key) },
    { ...asPlainValues, ...byId, session, batchSize },
    call,
  )) {
    const path = pathOfId(key, document._id);
    documents.set(path, document);
    bytes += document.kind === "file" ? document.sizeBytes + 2 * Buffer.byteLength(path) : Buffer.byteLength(path);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
  }
  return documents;
}

function tooLarge(maxBytes: number): MemoryError {
  return new MemoryError(
    "ENOSPC",
    `ENOSPC: the memory takes more than ${maxBytes} bytes, and the other layout keeps no larger one; nothing was moved`,
  );
}

/** Creates the documents of a memory. Directories get the times of the memory. */
export async function arriveInFiles(
  context: FilesContext,
  address: CheckedAddress,
  memory: MovingMemory,
  session: ClientSession,
  call: CallContext,
): Promise<void> {
  const { collection, expiry } = context;
  const { createdAt, updatedAt, applied, revision, history } = memory;
  const key = getMemoryKey(address);
  const _id = getRootId(key);
  const found = await collection.findOne<Pick<StoredRoot, "kind">>(
    { _id },
    { projection: { kind: 1 }, session, ...byId, ...asPlainValues },
    call,
  );
  if (found !== null && !isMark(found)) throw alreadyThere("files");
  const lifetimeMs = expiry.lifetimeMs(address.scope);
  const recorded: RootHistory | null = history && {
    ...history,
    revision,
    ...(lifetimeMs !== null && { lifetimeMs }),
  };
  const createDirectory = (path: string): StoredDirectory => ({
    _id: idOfPath(key, path),
    kind: "dir",
    made: 1,
    createdAt,
    updatedAt,
  });
  const root: StoredRoot = {
    ...createDirectory(ROOT),
    ...address,
    formerRevision: revision,
    ...(applied && { applied }),
    ...(recorded && { history: recorded }),
  };
  if (found !== null)
    await collection.updateOne({ _id }, [{ $replaceWith: { $literal: root } }], { session, ...byId }, call);
  const made = [...(found === null ? [root] : []), ...documentsBelow(key, memory, createDirectory)];
  if (made.length > 0) await collection.insertMany(made, { session }, call);
}

function documentsBelow(
  key: string,
  { tree }: MovingMemory,
  directoryOf: (path: string) => StoredDirectory,
): StoredDocument[] {
  // The tree adds directories that only the path of a file implies.
  const { files, directories } = new MemoryTree({ ...tree, revision: null }).snapshot();
  for (const path of [...directories, ...files.map((file) => file.path)]) refuseControlCharacters(path);
  return [
    ...directories.map(directoryOf),
    ...files.map(({ path, content: text, sizeBytes, createdAt, updatedAt }): StoredFile => ({
      ...placeOfFile(key, path),
      kind: "file",
      text,
      textId: newChangeId(),
      sizeBytes,
      createdAt,
      updatedAt,
    })),
  ];
}

/** Refuses control characters, because ids contain paths. An earlier version allowed such names. */
function refuseControlCharacters(path: string): void {
  if (/\p{Cc}/u.test(path))
    throw invalid(
      `the layout "files" keeps no control characters in names (${JSON.stringify(path)}); rename it first; nothing was moved`,
    );
}

/** Expired memories count as nothing. */
export async function lookForFiles(
  context: FilesContext,
  address: CheckedAddress,
  session: ClientSession,
  call: CallContext,
): Promise<"memory" | "mark" | "nothing"> {
  const key = getMemoryKey(address);
  const root = await context.collection.findOne<Pick<StoredRoot, "kind">>(
    { _id: getRootId(key) },
    { projection: { kind: 1 }, session, ...byId, ...asPlainValues },
    call,
  );
  if (root === null) return "nothing";
  if (isMark(root)) return "mark";
  const deadline = context.expiry.deadline(address.scope);
  return deadline === null || (await changedAfter(context, key, deadline, { session }, call)) !== null
    ? "memory"
    : "nothing";
}
