import type { MemoryTree, TreeEdits } from "../../core/tree/memory-tree.js";
import type { RecordedFile } from "./outbox.js";
import type { DirectoryChange } from "./version-document.js";

export interface RecordedEdits {
  /** Removed files come first, then moved files, then written texts. */
  files: RecordedFile[];
  directories: DirectoryChange;
}

/**
 * Describes a change for the history, with the files in the order in which their versions are numbered. Writing the
 * same text again makes no version.
 * @param tree before the edits, with the texts that the edits replace
 * @returns null if the change makes no version
 */
export function recordEdits(tree: MemoryTree, edits: TreeEdits): RecordedEdits | null {
  const files = [...recordRemoved(tree, edits), ...recordMovedFiles(tree, edits), ...recordWritten(tree, edits)];
  const directories = recordDirectories(tree, edits);
  return files.length === 0 && Object.keys(directories).length === 0 ? null : { files, directories };
}

function recordRemoved(tree: MemoryTree, { removed }: TreeEdits): RecordedFile[] {
  return removed.flatMap((path) => {
    const file = tree.files.get(path);
    return file === undefined ? [] : [{ path, gone: true, before: file.content }];
  });
}

function recordMovedFiles(tree: MemoryTree, { moved }: TreeEdits): RecordedFile[] {
  return moved.flatMap(({ path, to }) => (tree.files.has(path) ? [{ path: to, from: path, gone: false }] : []));
}

function recordWritten(tree: MemoryTree, { moved, files }: TreeEdits): RecordedFile[] {
  const sources = new Map(moved.map(({ path, to }) => [to, path]));
  return files.flatMap(({ path, content }) => {
    const before = tree.files.get(sources.get(path) ?? path)?.content;
    if (before === content) return [];
    return [{ path, gone: false, ...(before !== undefined && { before }) }];
  });
}

function recordDirectories(tree: MemoryTree, { removed, moved, directories }: TreeEdits): DirectoryChange {
  const removedDirectories = removed.filter((path) => tree.directories.has(path));
  // A moved directory is listed before its children.
  const root = moved.find(({ path }) => tree.directories.has(path));
  return {
    ...(directories.length > 0 && { added: [...directories] }),
    ...(removedDirectories.length > 0 && { removed: removedDirectories }),
    ...(root && { moved: { from: root.path, to: root.to } }),
  };
}
