import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** Ends the name of a file that is being written; no name of an export has it, nor is it read. */
const unfinished = "~part";

/** Writes a file that takes its place when it is complete and on the disk. A link in its place is replaced, not followed. */
export async function writeWhole<T>(file: string, write: (handle: FileHandle) => Promise<T>): Promise<T> {
  const partial = file + unfinished;
  await rm(partial, { force: true });
  const handle = await open(partial, "wx");
  try {
    const result = await write(handle);
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
