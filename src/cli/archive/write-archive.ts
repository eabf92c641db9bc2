import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { syncFile } from "../../backends/directory/write-file.js";
import { ArchiveLines } from "../../core/archive.js";
import { about, CommandError, withFile } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";

export type OpenTargets = AsyncIterable<OpenTarget> | Iterable<OpenTarget>;

export async function writeArchive(
  memories: OpenTargets,
  write: (text: string) => Promise<unknown>,
): Promise<{ memories: number; files: number }> {
  const counts = { memories: 0, files: 0 };
  const archive = new ArchiveLines();
  for await (const { memory, name, address } of memories) {
    const { files } = await about(name, () => memory.snapshot());
    counts.memories += 1;
    counts.files += files.length;
    for (const file of files) await write(archive.file(address, file));
  }
  await write(archive.end());
  return counts;
}

/** Exports are their owner's only, whatever the umask. */
const fileMode = 0o600;

/**
 * Writes a file that appears when it is complete and on the disk. It replaces a link instead of following it. Only the
 * owner can read a new file; a replaced file keeps its rights. @throws CommandError EEXIST, EIO
 */
export function writeWholeFile<T>(
  file: string,
  overwrite: boolean,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  return withFile(file, "write", async () => {
    const replaced = await lstat(file).catch(() => null);
    if (replaced?.isDirectory() === true)
      throw new CommandError("EEXIST", `${file}: it is a folder; name a file, or pass --to-dir for a folder of texts`);
    if (replaced !== null && !overwrite)
      throw new CommandError("EEXIST", `${file}: it is there already; pass --overwrite to replace it, or name another`);
    const partial = `${file}~part`;
    await rm(partial, { force: true });
    const handle = await open(partial, "wx", fileMode);
    try {
      const result = await write(handle);
      if (replaced?.isFile() === true) await handle.chmod(replaced.mode & 0o777);
      await syncFile(handle);
      await handle.close();
      await rename(partial, file);
      return result;
    } finally {
      await handle.close();
      await rm(partial, { force: true });
    }
  });
}
