import { type BulkCalls, getInternals } from "./bind-memory.js";
import type { Memory } from "./memory.js";
import { memoryDefaults } from "./memory-options.js";
import type { AddedFile, AddSettings, DatedFile } from "./tree/add-files.js";
import type { SnapshotFile } from "./tree/snapshot.js";
import { withPath } from "./values/error-paths.js";
import { alreadyExists, hasCode, isRefusal, type MemoryErrorCode } from "./values/errors.js";

/** The most that one change should bring in, or one command read. A larger file is alone in its batch. */
export const maxBatch = { files: 2000, bytes: 1_000_000 } as const;

/** Splits files into batches. Each batch is one change. */
export function* splitIntoBatches<File>(files: Iterable<File>, getBytes: (file: File) => number): Generator<File[]> {
  let batch: File[] = [];
  let bytes = 0;
  for (const file of files) {
    const fileBytes = getBytes(file);
    if (batch.length === maxBatch.files || (batch.length > 0 && bytes + fileBytes > maxBatch.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += fileBytes;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the limits under which a memory brings in files. */
export function getAddSettings(memory: Memory): AddSettings {
  return getBulkCalls(memory)?.settings ?? { ...memoryDefaults, paths: memory.paths };
}

/**
 * Brings in the files of a batch, each path once: in MongoDB in one change and with their times, elsewhere one after
 * another.
 * @returns what became of each file. @throws EIO, ENOSPC, ECONFLICT; then some files may have been written
 */
export async function addFilesTo(memory: Memory, files: readonly DatedFile[]): Promise<AddedFile[]> {
  const addAtOnce = getBulkCalls(memory)?.addFiles;
  if (addAtOnce) return addAtOnce(files);
  const result: AddedFile[] = [];
  for (const file of files) result.push(await addFile(memory, file));
  return result;
}

/**
 * Reads the files of a batch, in the order of their paths: in MongoDB in one command, elsewhere one after another. Leaves out
 * a file that is missing or cannot be read; `memory.read` says why.
 * @throws EIO
 */
export async function readFilesFrom(memory: Memory, paths: readonly string[]): Promise<Map<string, SnapshotFile>> {
  const readAtOnce = getBulkCalls(memory)?.readFiles;
  const files = readAtOnce ? await readAtOnce(paths) : await readEach(memory, paths);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return new Map(
    paths.flatMap((path) => {
      const file = byPath.get(path);
      return file === undefined ? [] : [[path, file] as const];
    }),
  );
}

async function readEach(memory: Memory, paths: readonly string[]): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const path of paths)
    try {
      const [content, facts] = [await memory.read(path), await memory.stat(path)];
      if (facts?.kind === "file") files.push({ path, content, ...facts });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  return files;
}

/** Returns null for a tree, whose files are in several memories. */
function getBulkCalls(memory: Memory): BulkCalls | null {
  const own = getInternals(memory);
  return own.memory === memory ? own.bulk : null;
}

/** Whether a stored text is a given one, or what the guards make of it. @throws the errors of guards */
export async function isStoredAs(
  memory: Memory,
  { path, content }: Pick<DatedFile, "path" | "content">,
  stored: string,
): Promise<boolean> {
  if (stored === content) return true;
  const own = getInternals(memory, path);
  return stored === (await own.guard(own.path, content, "write"));
}

const refusals: readonly MemoryErrorCode[] = ["EINVAL", "EACCES", "EEXIST", "EISDIR", "ENOTDIR", "EFBIG"];

async function addFile(memory: Memory, { path, content, ifExists }: DatedFile): Promise<AddedFile> {
  try {
    await memory.write(path, content, { ifExists: "fail" });
    return "written";
  } catch (error) {
    if (!hasCode(error, ...refusals)) throw error;
    if (error.code !== "EEXIST") return withPath(error, path);
  }
  if (await isStoredAs(memory, { path, content }, await memory.read(path))) return "unchanged";
  if (ifExists === "fail") return withPath(alreadyExists(), path);
  try {
    await memory.write(path, content);
    return "written";
  } catch (error) {
    if (hasCode(error, ...refusals)) return withPath(error, path);
    throw error;
  }
}
