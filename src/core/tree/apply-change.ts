import {
  alreadyExists,
  baseChanged,
  fileNotFound,
  fileTooLarge,
  type MemoryError,
  parentIsFile,
  pathIsDirectory,
} from "../values/errors.js";
import { wrongArgument } from "../settings/wrong-argument.js";
import { errorOnPath, withPath } from "../values/error-paths.js";
import { appendLines, replaceLines } from "../values/line-ends.js";
import { normalizePath, getParents, ROOT } from "../values/paths.js";
import { appendText, replaceText, utf8Bytes } from "../values/text.js";
import { getField, hasMethod } from "../values/unknown-values.js";
import { type Change, type ChangeOptions, type ChangeResult, isKept, noResult } from "./change.js";
import { digestTree } from "./digest.js";
import { type MemoryTree, noEdits, type TreeEdits } from "./memory-tree.js";

export interface ApplySettings {
  /** The time of files that the change writes. */
  now: Date;
  maxFileBytes: number;
}

/** The edits of a change, and its result. If there are no edits, nothing changes. */
export interface AppliedChange {
  edits: TreeEdits;
  result: ChangeResult;
}

/**
 * Returns the edits that a change makes to a tree, or refuses the change. The tree stays the same; the caller stores
 * the edits. The tree needs to contain only the scope of the change (`getScope`).
 *
 * @throws ENOENT, EISDIR, ENOTDIR, EEXIST, EFBIG, EINVAL for a moved path that is too long, EACCES for a delete that
 * keeps all that is there, ECONFLICT, and the errors of `checkPath` and `edit`; TypeError for a wrong argument
 */
export function applyChange(
  tree: MemoryTree,
  change: Change,
  settings: ApplySettings,
  options: ChangeOptions = {},
): AppliedChange {
  checkArguments(tree, change, settings);
  const { expectedDigest } = options;
  if (expectedDigest !== undefined && digestTree(tree, change) !== expectedDigest) throw baseChanged();
  switch (change.type) {
    case "append": {
      const before = findFile(tree, change.path, change.create);
      const append = change.lineEnds === "file" ? appendLines : appendText;
      return putText(tree, change.path, append(before?.content ?? "", change.content), settings);
    }
    case "write": {
      const before = findFile(tree, change.path, change.ifMissing === "create");
      if (before !== null && change.ifExists === "fail") throw alreadyExists();
      return putText(tree, change.path, change.content, settings);
    }
    case "edit":
      return putText(tree, change.path, change.edit(tree.file(change.path).content), settings);
    case "update": {
      const { content } = tree.file(change.path);
      const replace = change.lineEnds === "file" ? replaceLines : replaceText;
      const { text, replaced } = replace(content, change.oldContent, change.content, settings.maxFileBytes);
      if (replaced === 0) return { edits: noEdits, result: noResult };
      const { edits, result } = putText(tree, change.path, text, settings);
      return { edits, result: { file: result.file, replaced, deleted: result.deleted } };
    }
    case "delete":
      return removeTree(tree, change, options);
    case "rename":
      return moveTree(tree, change.path, change.to, options);
  }
}

const changeTypes: readonly unknown[] = ["append", "write", "edit", "update", "delete", "rename"];

/** @throws TypeError, because backends of programs without types call `applyChange` */
function checkArguments(tree: unknown, change: unknown, settings: unknown): void {
  if (!hasMethod(tree, "pathsWithin")) throw wrongArgument("applyChange: tree", "a MemoryTree", tree);
  const type = getField(change, "type");
  if (!changeTypes.includes(type))
    throw wrongArgument("applyChange: type of the change", `one of ${changeTypes.join(", ")}`, type);
  if (typeof getField(settings, "maxFileBytes") !== "number")
    throw wrongArgument("applyChange: settings", "an object { now, maxFileBytes }", settings);
}

/** @returns null for a file that the change creates. @throws EISDIR, ENOENT */
function findFile(tree: MemoryTree, path: string, create: boolean): { content: string } | null {
  return create && tree.kind(path) === null ? null : tree.file(path);
}

function putText(tree: MemoryTree, path: string, content: string, settings: ApplySettings): AppliedChange {
  const before = tree.files.get(path);
  const directories = before === undefined ? findMissingParents(tree, path) : [];
  const sizeBytes = checkSize(content, settings.maxFileBytes);
  const { now } = settings;
  const file = { kind: "file" as const, sizeBytes, createdAt: before?.createdAt ?? now, updatedAt: now };
  return {
    edits: { ...noEdits, directories, files: [{ path, content, ...file }] },
    result: { ...noResult, file },
  };
}

function removeTree(
  tree: MemoryTree,
  { path, ifDirectory, keeps = [] }: Extract<Change, { type: "delete" }>,
  { checkPath }: ChangeOptions,
): AppliedChange {
  if (tree.kind(path) === "dir" && ifDirectory === "fail") throw pathIsDirectory();
  const within = tree.pathsWithin(path);
  const removed = within.filter((below) => !isKept(below, keeps));
  if (removed.length === 0 && within.length > 0) throw onlyKept(keeps);
  for (const below of removed) if (below !== path) checkPath?.(below);
  const files = removed.filter((each) => tree.files.has(each)).length;
  const deleted = { files, dirs: removed.length - files };
  return { edits: { ...noEdits, removed }, result: { ...noResult, deleted } };
}

/** EACCES: a delete would answer that nothing was there, although what it keeps is there. */
function onlyKept([kept = ROOT]: readonly string[]): MemoryError {
  const advice = "forget deletes the whole memory, and a program can delete it by the memory of the store itself";
  return errorOnPath("EACCES", kept, `is all that is left, and is read-only here (access "read"); ${advice}`);
}

function moveTree(tree: MemoryTree, path: string, to: string, { checkPath }: ChangeOptions): AppliedChange {
  if (tree.kind(path) === null) throw fileNotFound();
  if (tree.kind(to) !== null) throw withPath(alreadyExists(), to);
  const moved = tree.pathsWithin(path).map((from) => ({ path: from, to: to + from.slice(path.length) }));
  const directories = findMissingParents(tree, to);
  for (const move of moved) {
    if (move.path === path) continue;
    normalizePath(move.to);
    checkPath?.(move.path);
    checkPath?.(move.to);
  }
  return { edits: { ...noEdits, moved, directories }, result: noResult };
}

/** @throws ENOTDIR with the path that cannot be created */
function findMissingParents(tree: MemoryTree, path: string): string[] {
  const parents = getParents(path);
  if (parents.some((parent) => tree.kind(parent) === "file")) throw withPath(parentIsFile(), path);
  return parents.filter((parent) => tree.kind(parent) === null);
}

/** @returns bytes of UTF-8. @throws EFBIG */
function checkSize(content: string, maxFileBytes: number): number {
  const sizeBytes = utf8Bytes(content);
  if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
  return sizeBytes;
}
