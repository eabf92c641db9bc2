import { withPath } from "../values/error-paths.js";
import { MemoryError } from "../values/errors.js";
import { getCreationError, type PathRule } from "../values/paths.js";
import { applyChange } from "./apply-change.js";
import { MemoryTree, noEdits, type TreeEdits } from "./memory-tree.js";
import type { SnapshotFile } from "./snapshot.js";

/** A file that is brought in with its times. A file that is there keeps the time at which it was created. */
export interface DatedFile {
  path: string;
  content: string;
  createdAt: Date;
  updatedAt: Date;
  /** Whether a file with another text is replaced or refused. */
  ifExists: "replace" | "fail";
}

/** The outcome for one file: written, unchanged because it has the same text, or refused. */
export type AddedFile = "written" | "unchanged" | MemoryError;

export interface AddSettings {
  paths: PathRule;
  maxFileBytes: number;
}

/** Returns the edits that bring in files, each path once, and what becomes of each file. The tree stays the same. */
export function addFiles(
  tree: MemoryTree,
  files: readonly DatedFile[],
  settings: AddSettings,
): { edits: TreeEdits; result: AddedFile[] } {
  return commitFiles(new MemoryTree(tree.snapshot()), files, settings);
}

/** Brings files into a tree, each path once, and returns the edits, and what becomes of each file. */
export function commitFiles(
  tree: MemoryTree,
  files: readonly DatedFile[],
  settings: AddSettings,
): { edits: TreeEdits; result: AddedFile[] } {
  const directories: string[] = [];
  const written: SnapshotFile[] = [];
  const result = files.map((file): AddedFile => {
    if (tree.files.get(file.path)?.content === file.content) return "unchanged";
    try {
      const edits = addFile(tree, file, settings);
      tree.commit(edits);
      directories.push(...edits.directories);
      written.push(...edits.files);
      return "written";
    } catch (error) {
      if (MemoryError.isInstance(error)) return withPath(error, file.path);
      throw error;
    }
  });
  return { edits: { ...noEdits, directories, files: written }, result };
}

/** @throws the refusals of `write` */
function addFile(tree: MemoryTree, file: DatedFile, { paths, maxFileBytes }: AddSettings): TreeEdits {
  const { path, content, createdAt, updatedAt, ifExists } = file;
  const isThere = tree.files.has(path);
  const fault = isThere ? null : getCreationError(path, paths);
  if (fault !== null) throw fault;
  const change = { type: "write", path, content, ifExists, ifMissing: "create" } as const;
  const { edits } = applyChange(tree, change, { now: updatedAt, maxFileBytes });
  return isThere ? edits : { ...edits, files: edits.files.map((each) => ({ ...each, createdAt })) };
}
