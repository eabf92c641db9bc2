import { invalid, type MemoryError } from "../../../core/values/errors.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import { applyChange } from "../../../core/tree/apply-change.js";
import type { ChangeScope } from "../../../core/tree/change.js";
import { MemoryTree, noEdits, type TreeEdits } from "../../../core/tree/memory-tree.js";
import { getCreationError } from "../../../core/values/paths.js";

/** A write to a memory through the methods of the store. No delete is recursive. */
export type PlannedWrite =
  | { kind: "put"; path: string; content: string }
  | { kind: "deleteFile"; path: string }
  | { kind: "deleteDirectory"; path: string };

/**
 * Plans changes that are made one after the other, as one edit.
 * @param tree contains the paths of the changes, and everything below the directories that are deleted
 * @param now the time of the files that are written
 * @throws what a write throws, and EINVAL for a directory that is not empty
 */
export function planChanges(
  tree: MemoryTree,
  changes: readonly PlannedWrite[],
  options: Required<MemoryOptions>,
  now: Date,
): TreeEdits {
  const planned = new MemoryTree(tree.snapshot());
  let all = noEdits;
  for (const change of changes) {
    const edits = planEdits(planned, change, options, now);
    planned.commit(edits);
    all = joinEdits(tree, all, edits);
  }
  return all;
}

/** Returns the part of a memory that must be loaded to plan changes. */
export function getPlanScope(changes: readonly PlannedWrite[]): ChangeScope {
  return {
    paths: changes.map(({ path }) => path),
    below: changes.flatMap(({ kind, path }) => (kind === "deleteDirectory" ? [path] : [])),
  };
}

/** Joins two edits into one edit of the tree before both. Neither edit moves anything. */
function joinEdits(tree: MemoryTree, first: TreeEdits, second: TreeEdits): TreeEdits {
  const removed = new Set(second.removed);
  const replaced = new Set(second.files.map(({ path }) => path));
  return {
    moved: [],
    removed: [...new Set([...first.removed, ...second.removed.filter((path) => tree.kind(path) !== null)])],
    directories: [...first.directories.filter((path) => !removed.has(path)), ...second.directories],
    files: [...first.files.filter(({ path }) => !removed.has(path) && !replaced.has(path)), ...second.files],
  };
}

function planEdits(
  tree: MemoryTree,
  change: PlannedWrite,
  { paths, maxFileBytes }: Required<MemoryOptions>,
  now: Date,
): TreeEdits {
  const { path } = change;
  switch (change.kind) {
    case "put": {
      const fault = tree.kind(path) === null ? getCreationError(path, paths) : null;
      if (fault !== null) throw fault;
      const write = { type: "write", path, content: change.content, ifExists: "replace", ifMissing: "create" } as const;
      return applyChange(tree, write, { now, maxFileBytes }).edits;
    }
    case "deleteFile":
      return tree.files.has(path) ? { ...noEdits, removed: [path] } : noEdits;
    case "deleteDirectory":
      return removeEmptyDirectory(tree, path);
  }
}

function removeEmptyDirectory(tree: MemoryTree, path: string): TreeEdits {
  if (!tree.directories.has(path)) return noEdits;
  if (tree.pathsWithin(path).length > 1) throw directoryNotEmpty();
  return { ...noEdits, removed: [path] };
}

/** The store's own methods never delete a directory that has entries. */
function directoryNotEmpty(): MemoryError {
  return invalid("the directory is not empty: delete its items first, or use delete of the memory itself");
}
