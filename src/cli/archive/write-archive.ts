import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { syncFile } from "../../backends/directory/write-file.js";
import { ArchiveLines } from "../../core/archive.js";
import type { MemorySnapshot } from "../../core/memory.js";
import { catchRefusal } from "../../core/values/errors.js";
import { about, CommandError, withFile } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";

export type OpenTargets = AsyncIterable<OpenTarget> | Iterable<OpenTarget>;

/** @param withVersions whether to add the versions of each memory */
export async function writeArchive(
  memories: OpenTargets,
  withVersions: boolean,
  write: (text: string) => Promise<unknown>,
): Promise<{ memories: number; files: number; versions: number }> {
  const counts = { memories: 0, files: 0, versions: 0 };
  const archive = new ArchiveLines();
  await write(archive.begin());
  for await (const target of memories) {
    const snapshot = await readSnapshot(target);
    counts.memories += 1;
    counts.files += snapshot.files.length;
    await write(archive.memory(target.stored?.address ?? null, snapshot));
    for (const file of snapshot.files) await write(archive.file(file));
    for await (const version of withVersions ? readVersions(target) : []) {
      await write(archive.version(version));
      counts.versions += 1;
    }
  }
  await write(archive.end());
  return counts;
}

/** Reads a memory at one moment. @throws CommandError for a file of a folder that is not text */
export async function readSnapshot({ memory, name, stored }: OpenTarget): Promise<MemorySnapshot> {
  const snapshot = await about(name, () => memory.snapshot());
  if (stored !== null) return snapshot;
  // The snapshot of a folder leaves out files that are no text. An export must not.
  const texts = new Set(snapshot.files.map(({ path }) => path));
  const { files } = await about(name, () => memory.outline());
  for (const { path } of files) if (!texts.has(path)) await about(path, () => memory.read(path));
  return snapshot;
}

/** Reads the versions with their texts, newest first. A version that is meanwhile no longer kept has none. */
async function* readVersions({ memory: { history }, name }: OpenTarget): AsyncGenerator<object> {
  if (history === null) return;
  for await (const version of history.list()) {
    yield (await about(name, () => catchRefusal(history.read(version.id), "ENOENT"))) ?? version;
  }
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
