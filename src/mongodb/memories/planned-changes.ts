import type { CallContext } from "../../core/runtime/call.js";
import type { MemoryOptions } from "../../core/settings/options.js";
import type { ChangeScope } from "../../core/tree/change.js";
import { applyChange, checkSize } from "../../core/tree/apply-change.js";
import { type MemoryTree, noEdits, type TreeEdits } from "../../core/tree/memory-tree.js";
import { creationFault, parentsOf, ROOT } from "../../core/values/paths.js";
import { directoryNotEmpty, type PlannedChange } from "./layout.js";
import type { TreeStorage } from "./tree-storage.js";

/**
 * Refuses what a memory would refuse of these changes, one after the other.
 * @param tree what `getPlannedScope` names, perhaps without texts. The changes are made to it
 */
export function checkPlanned(
  tree: MemoryTree,
  options: Required<MemoryOptions>,
  changes: readonly PlannedChange[],
): void {
  const now = new Date(0);
  for (const change of changes) tree.commit(getEdits(tree, change, options, now));
}

/** What must be known of a memory to check the changes. `below`: directories whose children are needed. */
export function getPlannedScope(changes: readonly PlannedChange[]): ChangeScope {
  const paths = new Set(changes.flatMap(({ path }) => [path, ...parentsOf(path)]));
  return {
    paths: [...paths],
    below: changes.filter(({ kind }) => kind === "deleteDirectory").map(({ path }) => path),
  };
}

function getEdits(
  tree: MemoryTree,
  change: PlannedChange,
  { maxFileBytes, paths }: Required<MemoryOptions>,
  now: Date,
): TreeEdits {
  const { path } = change;
  const kind = tree.kind(path);
  switch (change.kind) {
    case "put": {
      checkSize(change.content, maxFileBytes);
      const fault = kind === null ? creationFault(path, paths) : null;
      if (fault !== null) throw fault;
      const write = { type: "write", path, content: change.content, ifExists: "replace", ifMissing: "create" } as const;
      return applyChange(tree, write, { now, maxFileBytes }).edits;
    }
    case "deleteFile":
      return kind === "file" ? { ...noEdits, removed: [path] } : noEdits;
    case "deleteDirectory":
      return removeEmptyDirectory(tree, path);
  }
}

/** One step; nothing where there is no such directory. @throws EINVAL where something lies in it */
export async function deleteEmptyDirectory(storage: TreeStorage, path: string, call: CallContext): Promise<void> {
  await storage.transact(
    { paths: [path], below: [path], chars: 0 },
    (tree) => ({ edits: removeEmptyDirectory(tree, path), result: null }),
    call,
  );
}

/** @throws EINVAL */
function removeEmptyDirectory(tree: MemoryTree, path: string): TreeEdits {
  if (path === ROOT || tree.kind(path) !== "dir") return noEdits;
  if (tree.pathsWithin(path).length > 1) throw directoryNotEmpty();
  return { ...noEdits, removed: [path] };
}
