import type { CallContext } from "../../../../core/runtime/call.js";
import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../../core/values/address.js";
import { getParent, getPathPrefix, ROOT } from "../../../../core/values/paths.js";
import type { ExactCollection, ExactWrite } from "../../../driver/exact-collection.js";
import { asPlainValues } from "../../../driver/plain-values.js";
import { newChangeId } from "../../change-id.js";
import {
  idOfPath,
  getMemoryKey,
  movedDocument,
  placeOfFile,
  rangesBelow,
  getRootId,
  type StoredDirectory,
  type StoredDocument,
  type StoredFile,
  type StoredRoot,
} from "../documents.js";
import { byId } from "../file-indexes.js";
import { isComplete, type LoadedTree } from "./loaded-tree.js";

/** How many documents one command reads, creates or deletes, and about how many bytes one insert copies. */
const maxDocuments = 1000;
const maxCopiedBytes = 16_000_000;
/**
 * Up to this number, documents are created by the command that updates others. Reason: an upsert searches for each of
 * them.
 */
const maxUpserts = 100;

/** The memory in which a difference is stored. */
export interface DifferenceTarget {
  collection: ExactCollection<StoredDocument>;
  session: ClientSession;
  address: CheckedAddress;
  root: StoredRoot | null;
}

export interface DifferenceOptions {
  /** The directories that were loaded with everything below them. */
  below: readonly string[];
  /** The time of new directories, and of directories in which something is created. */
  at: Date;
  /** The last versions of the files with new versions, by path. */
  heads: ReadonlyMap<string, StoredFile["head"]>;
  /** Fields of the root. Null: the root is written only if something is created in it. */
  rootFields: Partial<StoredRoot> | null;
}

/** The difference between a tree and the loaded documents. */
interface Difference {
  /** Ids; directories first. */
  removed: string[];
  updates: ExactWrite<StoredDocument>[];
  created: StoredDocument[];
  /** New paths of documents whose texts were not read, by their ids. */
  copied: Map<string, string>;
  /** Directories in which something is created. */
  parents: Set<string>;
}

/**
 * Stores the difference between a tree and the loaded documents. Writes first what conflicting changes write too:
 * directories that are removed, and directories in which something is created. So the later of two conflicting changes
 * fails at once, and not after thousands of files.
 */
export async function storeDifference(
  memory: DifferenceTarget,
  tree: LoadedTree,
  options: DifferenceOptions,
  call: CallContext,
): Promise<void> {
  const { collection, session } = memory;
  const difference = findDifference(getMemoryKey(memory.address), tree, options);
  const { removed, updates, created, copied } = difference;
  const isLarge = copied.size > 0 || removed.length > maxDocuments;
  const cleared = isLarge ? options.below.filter((path) => !hasAnyBelow(tree, path)) : [];
  const ranges = cleared.flatMap((path) => rangesBelow(getMemoryKey(memory.address), path));
  const isInRange = (id: string): boolean => ranges.some(({ $gte, $lt }) => id >= $gte && id < $lt);
  const single = ranges.length === 0 ? removed : removed.filter((id) => !isInRange(id));
  for (let start = 0; start < single.length; start += maxDocuments) {
    const ids = single.slice(start, start + maxDocuments);
    await collection.deleteMany({ _id: { $in: ids } }, { session, ...byId }, call);
  }
  const upserts = created.length <= maxUpserts ? created.map(insertOnly) : [];
  const writes = [...touchParents(memory, tree, difference, options), ...updates, ...upserts];
  if (writes.length > 0) await collection.bulkWrite(writes, { session }, call);
  if (created.length > maxUpserts) await collection.insertMany(created, { session }, call);
  if (copied.size > 0) for (const range of ranges) await copyDocuments(memory, range, copied, call);
  for (const _id of ranges) await collection.deleteMany({ _id }, { session, ...byId }, call);
}

function findDifference(key: string, tree: LoadedTree, { heads, at }: DifferenceOptions): Difference {
  const found: Difference = { removed: [], updates: [], created: [], copied: new Map(), parents: new Set() };
  for (const path of [...tree.directories, ...tree.files.keys()]) {
    const document = tree.document(path);
    if (document !== undefined && document === tree.loaded.get(path)) {
      const fields = changedFields(tree, path, heads.get(path));
      if (fields !== null) found.updates.push(updateOne(document._id, { $set: fields }));
      continue;
    }
    found.parents.add(getParent(path));
    if (document === undefined || isComplete(document)) found.created.push(createDocument(key, tree, path, heads, at));
    else found.copied.set(document._id, path);
  }
  const removed = [...tree.loaded].filter(
    ([path, document]) => tree.document(path) !== document && !found.copied.has(document._id),
  );
  const directories = removed.filter(([, { kind }]) => kind === "dir");
  const files = removed.filter(([, { kind }]) => kind === "file");
  return { ...found, removed: [...directories, ...files].map(([, { _id }]) => _id) };
}

/** Returns null for a file without changes, and for a directory. */
function changedFields(tree: LoadedTree, path: string, head: StoredFile["head"]): Partial<StoredFile> | null {
  const file = tree.files.get(path);
  if (file === undefined) return null;
  const isWritten = isRewritten(tree, path);
  if (!isWritten && head === undefined) return null;
  const { content: text, sizeBytes, updatedAt } = file;
  return { ...(isWritten && { text, textId: newChangeId(), sizeBytes, updatedAt }), ...(head && { head }) };
}

/** Whether a change has written the text of a stored file. The time is then another object, even if it is equal. */
function isRewritten(tree: LoadedTree, path: string): boolean {
  return tree.files.get(path)?.updatedAt !== tree.document(path)?.updatedAt;
}

function createDocument(
  key: string,
  tree: LoadedTree,
  path: string,
  heads: DifferenceOptions["heads"],
  at: Date,
): StoredDocument {
  const stored = tree.document(path);
  const former = stored !== undefined && isComplete(stored) ? movedDocument(key, stored, path) : undefined;
  const file = tree.files.get(path);
  if (file === undefined) return former ?? createDirectory(idOfPath(key, path), at);
  const head = heads.get(path);
  const moved = former?.kind === "file" ? former : undefined;
  if (moved !== undefined && !isRewritten(tree, path)) return { ...moved, ...(head && { head }) };
  const { kind, content: text, sizeBytes, createdAt, updatedAt } = file;
  const fields = { kind, text, textId: newChangeId(), sizeBytes, createdAt, updatedAt };
  return { ...moved, ...placeOfFile(key, path), ...fields, ...(head && { head }) };
}

function createDirectory(_id: string, at: Date): StoredDirectory {
  return { _id, kind: "dir", made: 1, createdAt: at, updatedAt: at };
}

/**
 * Writes the directories in which something is created, so that no other change can remove them; also writes the root.
 */
function touchParents(
  { address, root }: DifferenceTarget,
  tree: LoadedTree,
  { parents }: Difference,
  { at, rootFields }: DifferenceOptions,
): ExactWrite<StoredDocument>[] {
  const touch = { $inc: { made: 1 }, $max: { updatedAt: at } };
  const touches = [...parents].flatMap((path) => {
    const document = tree.document(path);
    return document !== undefined && document === tree.loaded.get(path) ? [updateOne(document._id, touch)] : [];
  });
  if (rootFields === null && !parents.has(ROOT)) return touches;
  const { updatedAt = at, ...fields } = rootFields ?? {};
  const _id = getRootId(getMemoryKey(address));
  const hasFields = Object.keys(fields).length > 0;
  if (root !== null)
    return [updateOne(_id, { $inc: { made: 1 }, $max: { updatedAt }, ...(hasFields && { $set: fields }) }), ...touches];
  return [insertOnly({ ...createDirectory(_id, at), ...address, ...fields, updatedAt }), ...touches];
}

function updateOne(_id: string, update: object): ExactWrite<StoredDocument> {
  return { updateOne: { filter: { _id }, update } };
}

function insertOnly({ _id, ...fields }: StoredDocument): ExactWrite<StoredDocument> {
  return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
}

/** Copies documents in batches: all together may be more than this process can hold. */
async function copyDocuments(
  { collection, session, address }: DifferenceTarget,
  _id: object,
  paths: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<void> {
  const key = getMemoryKey(address);
  let batch: StoredDocument[] = [];
  let bytes = 0;
  const insert = async (): Promise<void> => {
    if (batch.length > 0) await collection.insertMany(batch, { session }, call);
    batch = [];
    bytes = 0;
  };
  const options = { ...asPlainValues, ...byId, session, batchSize: maxDocuments };
  for await (const document of collection.find<StoredDocument>({ _id }, options, call)) {
    const path = paths.get(document._id);
    if (path === undefined) continue;
    batch.push(movedDocument(key, document, path));
    bytes += document.kind === "file" ? document.sizeBytes : 0;
    if (batch.length === maxDocuments || bytes >= maxCopiedBytes) await insert();
  }
  await insert();
}

function hasAnyBelow(tree: LoadedTree, path: string): boolean {
  const start = getPathPrefix(path);
  const isBelow = (other: string): boolean => other !== path && other.startsWith(start);
  return [...tree.directories].some(isBelow) || [...tree.files.keys()].some(isBelow);
}
