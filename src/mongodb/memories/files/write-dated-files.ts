import type { CallContext } from "../../../core/runtime/call.js";
import { applyChange } from "../../../core/tree/apply-change.js";
import { MemoryTree, noEdits, type TreeEdits } from "../../../core/tree/memory-tree.js";
import type { SnapshotFile } from "../../../core/tree/snapshot.js";
import { withPath } from "../../../core/values/error-paths.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { StoredMemory } from "../stored-memory.js";

/** A file that is brought in with its times. A file that is there keeps the time at which it was created. */
export interface DatedFile {
  path: string;
  content: string;
  createdAt: Date;
  updatedAt: Date;
  ifExists: "replace" | "fail";
}

/**
 * Writes files, each path once, as one change.
 * @throws what `write` of a memory throws, with the path; then nothing was changed
 */
export function writeDatedFiles(
  stored: StoredMemory,
  files: readonly DatedFile[],
  maxFileBytes: number,
  call: CallContext,
): Promise<void> {
  const paths = files.map(({ path }) => path);
  return stored.transact<void>(
    { paths, below: [] },
    (tree) => ({ edits: createEdits(tree, files, maxFileBytes), result: undefined }),
    call,
  );
}

function createEdits(tree: MemoryTree, files: readonly DatedFile[], maxFileBytes: number): TreeEdits {
  const after = new MemoryTree(tree.snapshot());
  const directories: string[] = [];
  const written: SnapshotFile[] = [];
  for (const file of files) {
    const edits = createFileEdits(after, file, maxFileBytes);
    after.commit(edits);
    directories.push(...edits.directories);
    written.push(...edits.files);
  }
  return { ...noEdits, directories, files: written };
}

function createFileEdits(tree: MemoryTree, file: DatedFile, maxFileBytes: number): TreeEdits {
  const { path, content, createdAt, updatedAt, ifExists } = file;
  try {
    const change = { type: "write", path, content, ifExists, ifMissing: "create" } as const;
    const { edits } = applyChange(tree, change, { now: updatedAt, maxFileBytes });
    return tree.files.has(path) ? edits : { ...edits, files: edits.files.map((each) => ({ ...each, createdAt })) };
  } catch (error) {
    throw MemoryError.isInstance(error) ? withPath(error, path) : error;
  }
}
