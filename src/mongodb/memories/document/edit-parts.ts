import type { Steps } from "../../../core/runtime/turns.js";
import { MemoryTree, type TreeEdits } from "../../../core/tree/memory-tree.js";
import { getPathPrefix } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { createRecord } from "../../driver/records.js";
import { recordEdits } from "../../history/record-edits.js";
import { type Expression, literal } from "../expressions.js";
import { createSwap } from "./attempts.js";
import { type ChangeParts, isLegacy } from "./change-pipeline.js";
import { asRecord, directoryKeyBytes, flatFields, keyOfPath, type MemoryDocument, newFileBytes } from "./document.js";
import { entriesWhere, keyIsWithin, recordMoved, valueAt } from "./expressions.js";
import type { LoadedDocument } from "./load.js";
import { storedEdits } from "./outbox/outbox.js";

type TreeFields = Record<"data" | "meta" | "dirs", Expression>;

/**
 * Creates the change that `transact` stores. The edits are made only if nobody has changed the memory since it was
 * loaded; the new text of a single file, only if nobody has changed that text.
 * @param approvalId an id that the memory records in the same step
 */
export function* createEditParts(loaded: LoadedDocument, edits: TreeEdits, approvalId?: string): Steps<ChangeParts> {
  const { tree, legacy } = loaded;
  const swapped = approvalId === undefined && legacy === null ? yield* findSwappedText(tree, edits) : null;
  if (swapped !== null) return swapped;
  const after = new MemoryTree(tree.snapshot());
  after.commit(edits);
  const recorded = recordEdits(tree, edits);
  const marks = approvalId === undefined ? {} : literal(createRecord([[approvalId, true]]));
  return {
    unless: legacy === null ? changedSince(loaded.revision) : legacyChangedSince(legacy),
    fields: {
      ...(legacy === null ? editFields(tree, edits) : literalFields(after)),
      ...(approvalId !== undefined && { applied: { $mergeObjects: ["$applied", marks] } }),
    },
    recorded: recorded && (yield* storedEdits(recorded, after)),
    counts: null,
    growth: legacy === null ? mostGrowth(edits) : Infinity,
  };
}

function* findSwappedText(
  tree: MemoryTree,
  { removed, moved, directories, files }: TreeEdits,
): Steps<ChangeParts | null> {
  const [file] = files;
  if (file === undefined || files.length + removed.length + moved.length + directories.length > 1) return null;
  const before = tree.files.get(file.path);
  if (before === undefined) return null;
  return yield* createSwap({ path: file.path, before: before.content, content: file.content }, { now: file.updatedAt });
}

function changedSince(revision: number): Expression[] {
  return [isLegacy, { $ne: [{ $ifNull: ["$revision", 0] }, revision] }];
}

/**
 * Returns conditions, one of which is true if a document of the earlier system was changed since it was read. Such a
 * document has no revision to compare.
 */
export function legacyChangedSince({ data, dirs }: MemoryDocument): Expression[] {
  const isOther = (field: string, value: unknown): Expression =>
    value === undefined ? { $ne: [{ $type: field }, "missing"] } : { $ne: [field, literal(asRecord(value))] };
  return [isOther("$revision", undefined), isOther("$data", data), isOther("$dirs", dirs)];
}

function literalFields(tree: MemoryTree): TreeFields {
  const { data, meta, dirs } = flatFields(tree.snapshot());
  return { data: literal(data), meta: literal(meta), dirs: literal(dirs) };
}

/**
 * Returns the fields of a document after edits, computed from the fields before. Texts that only move are not sent.
 * @param tree as stored in the document. Removed and moved directories include everything below them
 */
function editFields(tree: MemoryTree, edits: TreeEdits): TreeFields {
  const moved = edits.moved[0];
  if (moved !== undefined && tree.directories.has(moved.path)) return moveDirectory(moved, edits);
  const gone = [...edits.removed, ...edits.moved.map(({ path }) => path)];
  const directories = keepOutermost(gone.filter((path) => tree.directories.has(path)));
  const files = gone.filter((path) => tree.files.has(path) && !isBelowAny(path, directories));
  const rest = (record: string): Expression => withoutPaths(record, files, directories);
  const written = new Set(edits.files.map(({ path }) => path));
  const kept = edits.moved.filter(({ to }) => !written.has(to));
  const takenFrom = (record: string): Expression[] =>
    kept.length === 0 ? [] : [{ $arrayToObject: [kept.map(({ path, to }) => moveEntry(record, path, to))] }];
  const texts = edits.files.map(({ path, content }) => [keyOfPath(path), content] as const);
  const times = edits.files.map(
    ({ path, createdAt, updatedAt }) => [keyOfPath(path), { createdAt, updatedAt }] as const,
  );
  return {
    data: { $mergeObjects: [rest("$data"), ...takenFrom("$data"), literal(createRecord(texts))] },
    meta: { $mergeObjects: [rest("$meta"), ...takenFrom("$meta"), literal(createRecord(times))] },
    dirs: { $mergeObjects: [rest("$dirs"), newDirectories(edits)] },
  };
}

function moveDirectory({ path, to }: { path: string; to: string }, edits: TreeEdits): TreeFields {
  const moved = (record: string): Expression => recordMoved(record, keyOfPath(path), keyOfPath(to));
  return {
    data: moved("$data"),
    meta: moved("$meta"),
    dirs: { $mergeObjects: [moved("$dirs"), newDirectories(edits)] },
  };
}

function moveEntry(record: string, path: string, to: string): Expression {
  return { k: literal(keyOfPath(to)), v: valueAt(record, keyOfPath(path)) };
}

function newDirectories({ directories }: TreeEdits): Expression {
  return literal(createRecord(directories.map((path) => [keyOfPath(path), true])));
}

function withoutPaths(record: string, files: readonly string[], directories: readonly string[]): Expression {
  if (files.length + directories.length === 0) return record;
  const isGone: Expression[] = [
    { $in: ["$$entry.k", literal(files.map(keyOfPath))] },
    ...directories.map((path) => keyIsWithin(keyOfPath(path))),
  ];
  return { $arrayToObject: entriesWhere(record, { $not: [{ $or: isGone }] }) };
}

/** @param paths of directories */
function keepOutermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !isBelowAny(path, paths));
}

function isBelowAny(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => path.startsWith(getPathPrefix(directory)));
}

/** Returns the maximum number of bytes by which edits grow a document. */
function mostGrowth({ moved, directories, files }: TreeEdits): number {
  const keyBytes = 3;
  return (
    files.reduce((sum, { path, content }) => sum + newFileBytes(path) + utf8Bytes(content), 0) +
    moved.reduce((sum, { to }) => sum + keyBytes * utf8Bytes(keyOfPath(to)), 0) +
    directories.reduce((sum, path) => sum + directoryKeyBytes(keyOfPath(path)), 0)
  );
}
