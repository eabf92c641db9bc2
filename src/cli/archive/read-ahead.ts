import type { OutlineFile, SnapshotFile } from "../../core/memory.js";

/** The most that is read at a time. A larger file is read alone. */
const batch = { bytes: 4_000_000, files: 1000 };

type ListedFile = Pick<OutlineFile, "path" | "sizeBytes">;

interface LoadedFile extends ListedFile {
  load: () => Promise<SnapshotFile>;
}

/**
 * Loads files in batches, as most are loaded in their order. Keeps one batch, without the files that were loaded.
 * @param read returns these files, in any order
 */
export function readAhead(
  files: readonly ListedFile[],
  read: (paths: readonly string[]) => Promise<SnapshotFile[]>,
): LoadedFile[] {
  let unread = new Map<string, SnapshotFile>();
  const load = async (path: string, index: number): Promise<SnapshotFile> => {
    if (!unread.has(path)) {
      // Frees the last batch first.
      unread = new Map();
      unread = new Map((await read(batchFrom(files, index))).map((file) => [file.path, file]));
    }
    const file = unread.get(path);
    unread.delete(path);
    if (file === undefined) throw new Error(`${path} was not read`);
    return file;
  };
  return files.map(({ path, sizeBytes }, index) => ({ path, sizeBytes, load: () => load(path, index) }));
}

/** The paths of the batch that begins with the file at that index. */
export function batchFrom(files: readonly ListedFile[], start: number): string[] {
  const paths: string[] = [];
  let bytes = 0;
  for (const { path, sizeBytes } of files.slice(start, start + batch.files)) {
    bytes += sizeBytes;
    if (paths.length > 0 && bytes > batch.bytes) break;
    paths.push(path);
  }
  return paths;
}
