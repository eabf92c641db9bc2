import { memoryBytesCeiling } from "../../../core/memory-options.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import type { MemoryTree, TreeEdits } from "../../../core/tree/memory-tree.js";
import type { MemorySnapshot } from "../../../core/tree/snapshot.js";
import { getPathPrefix } from "../../../core/values/paths.js";
import { createRecord } from "../../driver/records.js";
import { recordEdits } from "../../history/record-edits.js";
import { entriesWhere, type Expression, keyIsWithin, literal, recordMoved, valueAt } from "../documents/expressions.js";
import type { LoadedPage } from "../reading/load.js";
import { createSwap } from "./attempts.js";
import { type ChangeParts, noChange } from "./change-pipeline.js";
import { flatFields, keyOfPath } from "../documents/page-document.js";
import type { LoadedChange } from "./loaded-change.js";
import { type RecordedParts, storedEdits } from "../outbox/outbox.js";

type TreeFields = Record<"data" | "meta" | "dirs", Expression>;

/**
 * Creates the change that `transact` stores on one page. The edits are made only if the page has not changed since it
 * was loaded. For the new text of a single file, only the text must not have changed.
 * @param page undefined: there is no memory yet
 */
export function* createEditParts(
  { loaded: { tree }, edits, scope, outcome }: LoadedChange,
  page: LoadedPage | undefined,
): Steps<ChangeParts> {
  const swaps = scope.approvalId === undefined && scope.isExact !== true;
  const swapped = swaps ? yield* findSwappedText(tree, edits) : null;
  if (swapped !== null) return { ...swapped, outcome };
  return {
    ...noChange,
    outcome,
    unless: changedSince(page?.revision ?? 0),
    fields: editFields(tree, edits),
    ...(edits.removed.length > 0 && { removedFields: ["splitAtBytes"] }),
    recorded: yield* recordParts(tree, edits),
  };
}

/** Describes edits for the outbox. Null if they make no version. */
export function* recordParts(tree: MemoryTree, edits: TreeEdits): Steps<RecordedParts | null> {
  const recorded = recordEdits(tree, edits);
  return recorded && (yield* storedEdits(recorded, tree.after(edits)));
}

function* findSwappedText(
  tree: MemoryTree,
  { removed, moved, directories, files }: TreeEdits,
): Steps<ChangeParts | null> {
  const [file] = files;
  if (file === undefined || files.length + removed.length + moved.length + directories.length > 1) return null;
  const before = tree.files.get(file.path);
  // The command has the previous text once to compare and once for the history, and a command has at most 16 MiB.
  if (before === undefined || 2 * before.sizeBytes + file.sizeBytes > memoryBytesCeiling) return null;
  return yield* createSwap({ path: file.path, before: before.content, content: file.content }, { now: file.updatedAt });
}

/** True if a page was changed since it was read. */
export function changedSince(revision: number): Expression[] {
  return [{ $ne: [{ $ifNull: ["$revision", 0] }, revision] }];
}

/** Returns the fields of a page with this content. */
export function literalFields(content: Pick<MemorySnapshot, "files" | "directories">): TreeFields {
  const { data, meta, dirs } = flatFields(content);
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
