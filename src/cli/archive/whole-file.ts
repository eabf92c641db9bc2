import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";

/** Exports are their owner's only, whatever the umask. */
const fileMode = 0o600;
/** Ends the name of a file that is being written. */
const unfinished = "~part";

/**
 * Writes a file that appears when it is complete and on the disk. It replaces a link instead of following it. Only the
 * owner can read a new file; a replaced file keeps its rights.
 */
export async function writeWholeFile<T>(file: string, write: (handle: FileHandle) => Promise<T>): Promise<T> {
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
