import { utf8Bytes } from "../values/text.js";
import type { ChangeScope } from "./change.js";
import type { MemoryTree, TreeEdits } from "./memory-tree.js";
import type { SnapshotFile } from "./snapshot.js";

/** A plan that brings a tree back to an earlier state. */
export interface TreeRestoration {
  /** The whole text of each file that changes, by path; null for a file that is removed. */
  files: ReadonlyMap<string, string | null>;
  /** The old path of each file that is moved, by its new path. */
  renamed: ReadonlyMap<string, string>;
  addedDirectories: readonly string[];
  removedDirectories: readonly string[];
}

/** Returns the part of a memory that a storage must load to restore a tree. */
export function getRestorationScope({ files, addedDirectories, removedDirectories }: TreeRestoration): ChangeScope {
  return { paths: [...files.keys(), ...addedDirectories, ...removedDirectories], below: removedDirectories };
}

/**
 * Returns the edits that restore a tree. The tree stays the same; the caller stores the edits. The tree needs to
 * contain only the scope of the restoration, which must not have changed since the restoration was planned.
 *
 * @param now the time of the files that are written
 */
export function restoreTree(
  tree: MemoryTree,
  { files, renamed, addedDirectories, removedDirectories }: TreeRestoration,
  now: Date,
): TreeEdits {
  const sources = new Set(renamed.values());
  const removed: string[] = [];
  const moved: { path: string; to: string }[] = [];
  const written: SnapshotFile[] = [];
  for (const [path, content] of files) {
    if (content === null) {
      if (!sources.has(path)) removed.push(path);
      continue;
    }
    const source = renamed.get(path);
    if (source !== undefined) moved.push({ path: source, to: path });
    const times = { createdAt: tree.files.get(source ?? path)?.createdAt ?? now, updatedAt: now };
    written.push({ path, kind: "file", content, sizeBytes: utf8Bytes(content), ...times });
  }
  return { removed: [...removed, ...removedDirectories], moved, directories: addedDirectories, files: written };
}
