import { utf8Bytes } from "../values/text.js";
import type { ChangeScope } from "./change.js";
import type { MemoryTree, TreeEdits } from "./memory-tree.js";
import type { MemorySnapshot, SnapshotFile } from "./snapshot.js";

/** A plan that brings a tree back to an earlier state. */
export interface TreeRestoration {
  /** The whole text of each file that changes, by path; null for a file that is removed. */
  files: ReadonlyMap<string, string | null>;
  /** The old path of each file that is moved, by its new path. */
  renamed: ReadonlyMap<string, string>;
  addedDirectories: readonly string[];
  removedDirectories: readonly string[];
  /** The tree for which the restoration was planned. */
  tree: MemorySnapshot;
}

/** Returns the part of a memory that a storage must load to restore a tree. */
export function getRestorationScope({ files, addedDirectories, removedDirectories }: TreeRestoration): ChangeScope {
  return { paths: [...files.keys(), ...addedDirectories, ...removedDirectories], below: removedDirectories };
}

/**
 * Returns the edits that restore a tree. The tree stays the same; the caller stores the edits. The tree needs to
 * contain only the scope of the restoration.
 *
 * @param now the time of the files that are written
 * @returns null if the texts or directories of the scope have changed since the restoration was planned
 */
export function restoreTree(tree: MemoryTree, restoration: TreeRestoration, now: Date): TreeEdits | null {
  if (!isAsPlanned(tree, restoration)) return null;
  const { files, renamed, addedDirectories, removedDirectories } = restoration;
  const createdAt = new Map(restoration.tree.files.map((file) => [file.path, file.createdAt]));
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
    const times = { createdAt: createdAt.get(source ?? path) ?? now, updatedAt: now };
    written.push({ path, kind: "file", content, sizeBytes: utf8Bytes(content), ...times });
  }
  return { removed: [...removed, ...removedDirectories], moved, directories: addedDirectories, files: written };
}

function isAsPlanned(tree: MemoryTree, { files, removedDirectories, tree: planned }: TreeRestoration): boolean {
  const texts = new Map(planned.files.map(({ path, content }) => [path, content]));
  const removed = new Set([...removedDirectories, ...files.keys()]);
  return (
    [...files.keys()].every((path) => tree.files.get(path)?.content === texts.get(path)) &&
    removedDirectories.every((path) => tree.pathsWithin(path).every((below) => removed.has(below)))
  );
}
