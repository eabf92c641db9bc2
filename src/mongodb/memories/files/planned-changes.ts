import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryOptions } from "../../../core/settings/options.js";
import { applyChange, checkSize } from "../../../core/tree/apply-change.js";
import { MemoryTree, noEdits, type TreeEdits } from "../../../core/tree/memory-tree.js";
import { creationFault, parentsOf, ROOT } from "../../../core/values/paths.js";
import { directoryNotEmpty, type PlannedChange } from "../layout.js";
import type { TreeStorage } from "../tree-storage.js";
import type { FileReads } from "./file-reads.js";

/** Refuses what the memory as it is would refuse of these changes, one after the other. */
export async function checkPlanned(
  reads: FileReads,
  options: Required<MemoryOptions>,
  changes: readonly PlannedChange[],
): Promise<void> {
  const paths = new Set(changes.flatMap(({ path }) => [path, ...parentsOf(path)]));
  const emptied = changes.filter(({ kind }) => kind === "deleteDirectory").map(({ path }) => path);
  const kinds = await reads.kinds([...paths], emptied);
  const now = new Date(0);
  const stat = { kind: "file", content: "", sizeBytes: 0, createdAt: now, updatedAt: now } as const;
  const tree = new MemoryTree({
    files: [...kinds].filter(([, kind]) => kind === "file").map(([path]) => ({ path, ...stat })),
    directories: [...kinds].filter(([, kind]) => kind === "dir").map(([path]) => path),
    revision: null,
  });
  for (const change of changes) tree.commit(getEdits(tree, change, options, now));
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
