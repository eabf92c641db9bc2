import { invalid, type MemoryError } from "../../core/values/errors.js";
import type { MemoryOptions } from "../../core/memory-options.js";
import type { CallContext } from "../../core/runtime/call.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { MemoryTree, noEdits, type TreeEdits } from "../../core/tree/memory-tree.js";
import { getCreationError } from "../../core/values/paths.js";
import type { PlannedWrite } from "./contract/stored-memory.js";
import type { TreeStorage } from "./contract/tree-storage.js";

/** Removes an empty directory. Does nothing if there is no directory. @throws EINVAL */
export function deleteEmptyDirectory(stored: TreeStorage, path: string, call: CallContext): Promise<void> {
  return stored.transact<void>(
    { paths: [path], below: [path] },
    (tree) => ({ edits: removeEmptyDirectory(tree, path), result: undefined }),
    call,
  );
}

/**
 * Refuses changes that a tree would refuse, one after the other.
 * @param tree contains the paths of the changes, and everything below the directories that are deleted
 * @returns the edits of all changes, and the edits up to the change after which the texts are largest, to check the
 * size of the memory
 * @throws what a write throws, and EINVAL for a directory that is not empty
 */
export function planChanges(
  tree: MemoryTree,
  changes: readonly PlannedWrite[],
  options: Required<MemoryOptions>,
): TreeEdits[] {
  const planned = new MemoryTree(tree.snapshot());
  let [all, largest, growth, mostGrowth] = [noEdits, noEdits, 0, 0];
  for (const change of changes) {
    const edits = planEdits(planned, change, options);
    growth += getGrowth(planned, edits);
    planned.commit(edits);
    all = joinEdits(tree, all, edits);
    if (growth > mostGrowth) [largest, mostGrowth] = [all, growth];
  }
  return largest === all ? [all] : [largest, all];
}

function getGrowth(tree: MemoryTree, { removed, files }: TreeEdits): number {
  const getSize = (path: string): number => tree.files.get(path)?.sizeBytes ?? 0;
  return (
    files.reduce((sum, { path, sizeBytes }) => sum + sizeBytes - getSize(path), 0) -
    removed.reduce((sum, path) => sum + getSize(path), 0)
  );
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
): TreeEdits {
  const { path } = change;
  const now = new Date(0);
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
