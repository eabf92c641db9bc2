import { createHash } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import type { MemorySnapshot } from "../../core/memory.js";
import { MemoryError } from "../../core/values/errors.js";
import { about, CommandError, withFile } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import type { Progress } from "../terminal/progress.js";
import { visibleJson } from "../terminal/output.js";

/*
 * An archive is JSONL. The first line names the format. Then each memory has its own line, followed by its directories,
 * its files, and maybe its versions, which are for reading. The last line has the SHA-256 of all lines before it.
 */
export const archiveFormat = { format: "langgraph-mongo-memory", version: 2 } as const;

export type OpenTargets = AsyncIterable<OpenTarget> | Iterable<OpenTarget>;

/** @param withVersions whether to add the versions of each memory */
export async function writeArchive(
  memories: OpenTargets,
  withVersions: boolean,
  write: (text: string) => Promise<unknown>,
  progress: Progress,
): Promise<{ memories: number; files: number; versions: number }> {
  const counts = { memories: 0, files: 0, versions: 0 };
  const hash = createHash("sha256");
  let lines = 1;
  const writeLine = async (line: object): Promise<void> => {
    // Escapes control characters everywhere, so that an archive is the same on a terminal and in a file.
    const text = `${visibleJson(JSON.stringify(line))}\n`;
    hash.update(text);
    lines += 1;
    await write(text);
  };
  await writeLine(archiveFormat);
  for await (const target of memories) {
    const { files, directories, revision } = await readSnapshot(target);
    counts.memories += 1;
    counts.files += files.length;
    progress.total += files.length;
    await writeLine({ address: target.stored?.address ?? null, memory: true, revision });
    for (const directory of directories) await writeLine({ directory });
    for (const { path, createdAt, updatedAt, content } of files) {
      await writeLine({ path, createdAt, updatedAt, content });
      progress.step();
    }
    for await (const version of withVersions ? readVersions(target) : []) {
      await writeLine({ version });
      counts.versions += 1;
    }
  }
  await writeLine({ end: true, lines, sha256: hash.copy().digest("hex") });
  return counts;
}

/** Reads a memory at one moment. @throws CommandError for a file of a folder that is no text */
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
    const read = (): Promise<object> =>
      history.read(version.id).catch((error: unknown) => {
        if (MemoryError.isInstance(error) && error.code === "ENOENT") return version;
        throw error;
      });
    yield await about(name, read);
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
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      return result;
    } finally {
      await handle.close();
      await rm(partial, { force: true });
    }
  });
}
