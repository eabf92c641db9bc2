import type { OutlineFile, SnapshotFile } from "../../core/memory.js";

/** How much comes at a time; a larger file comes alone. */
const batch = { bytes: 4_000_000, files: 1000 };

type ListedFile = Pick<OutlineFile, "path" | "sizeBytes">;

interface LoadedFile extends ListedFile {
  load: () => Promise<SnapshotFile>;
}

/**
 * Files that are loaded with some of those after them, as most are loaded in their order. One batch is held, and of it
 * what was not loaded yet.
 *
 * @param read answers these files, in any order
 */
export function readAhead(
  files: readonly ListedFile[],
  read: (paths: readonly string[]) => Promise<SnapshotFile[]>,
): LoadedFile[] {
  let held = new Map<string, SnapshotFile>();
  const load = async (path: string, index: number): Promise<SnapshotFile> => {
    if (!held.has(path)) {
      // Before the next ones come.
      held = new Map();
      held = new Map((await read(batchFrom(files, index))).map((file) => [file.path, file]));
    }
    const file = held.get(path);
    held.delete(path);
    if (file === undefined) throw new Error(`${path} was not read`);
    return file;
  };
  return files.map(({ path, sizeBytes }, index) => ({ path, sizeBytes, load: () => load(path, index) }));
}

/** The paths of those that come with the file at that index: as many as are held at a time. */
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
