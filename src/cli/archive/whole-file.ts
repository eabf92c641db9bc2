import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { fileMode } from "./inside-folder.js";

/** Ends the name of a file that is being written; no name of an export has it, nor is it read. */
const unfinished = "~part";

/**
 * Writes a file that takes its place when it is complete and on the disk. A link in its place is replaced, not
 * followed. A new file is its owner's only, one that is replaced keeps its rights.
 */
export async function writeWhole<T>(file: string, write: (handle: FileHandle) => Promise<T>): Promise<T> {
  const partial = file + unfinished;
  await rm(partial, { force: true });
  const replaced = await lstat(file).catch(() => null);
  const handle = await open(partial, "wx", fileMode);
  try {
    const result = await write(handle);
    if (replaced?.isFile() === true) await handle.chmod(replaced.mode & 0o777);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
    return result;
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
}
