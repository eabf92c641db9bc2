import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { OpenDirectory } from "../../backends/directory/open-directory.js";
import { MemoryError } from "../../core/values/errors.js";
import { inputFault } from "../fault.js";

/** Exports are their owner's only, whatever the umask. */
export const fileMode = 0o600;
export const directoryMode = 0o700;

/** Never a link, and never waits for the other end of a pipe. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Runs a task on the directory of a file below a folder, to which no link leads.
 *
 * @param file `/`-separated, without `.` and `..`
 * @param makes whether missing directories are made
 * @throws CommandFault EINPUT where a link is in the way, what the file system throws
 */
export async function inParentOf<T>(
  folder: string,
  file: string,
  { makes = false }: { makes?: boolean },
  run: (directory: OpenDirectory, name: string) => Promise<T>,
): Promise<T> {
  const names = file.split("/");
  const last = names.pop() ?? "";
  return below(OpenDirectory.root(folder), names, makes, (directory) => run(directory, last));
}

/**
 * Runs a task on an open regular file; null where there is none of that name. @throws as `inParentOf`, EINPUT for a
 * link or special file
 */
export async function withRegularFile<T>(
  directory: OpenDirectory,
  name: string,
  run: (handle: FileHandle, sizeBytes: number) => Promise<T>,
): Promise<T | null> {
  const path = join(directory.path, name);
  const found = await lstat(directory.pathTo(name)).catch(nullIfMissing);
  if (found === null) return null;
  if (found.isSymbolicLink()) throw linkFault(path);
  // A pipe that is opened would be noticed at its other end.
  if (!found.isFile()) throw notRegular(path);
  const handle = await open(directory.pathTo(name), readFlags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(path);
    await directory.check();
    return await run(handle, stats.size);
  } finally {
    await handle.close();
  }
}

/** Reads so many bytes at most: a file can grow while it is read. */
export async function readBytes(handle: FileHandle, sizeBytes: number, offset = 0): Promise<Buffer> {
  const bytes = Buffer.alloc(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const { bytesRead } = await handle.read(bytes, length, sizeBytes - length, offset + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Removes the files of a directory that are not kept, and the directories that are empty then. */
export async function removeOthers(directory: OpenDirectory, path: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(directory.base, { withFileTypes: true })) {
    const inner = `${path}/${entry.name}`;
    const child = entry.isDirectory() ? await directory.openChild(entry.name) : null;
    await directory.check();
    if (child !== null) {
      await removeOthers(child, inner, kept).finally(() => child.close());
      await rmdir(directory.pathTo(entry.name)).catch(() => undefined);
    } else if (!kept.has(inner)) {
      await unlink(directory.pathTo(entry.name));
    }
  }
}

async function below<T>(
  parent: OpenDirectory,
  names: readonly string[],
  makes: boolean,
  run: (directory: OpenDirectory) => Promise<T>,
): Promise<T> {
  const [name, ...rest] = names;
  await parent.check();
  if (name === undefined) return run(parent);
  const child = await openedChild(parent, name, makes);
  try {
    return await below(child, rest, makes, run);
  } finally {
    child.close();
  }
}

async function openedChild(parent: OpenDirectory, name: string, makes: boolean): Promise<OpenDirectory> {
  try {
    const there = await parent.openChild(name);
    if (there !== null) return there;
    const found = await lstat(parent.pathTo(name)).catch(nullIfMissing);
    if (found?.isSymbolicLink() === true) throw linkFault(join(parent.path, name));
    if (makes && found === null) await mkdir(parent.pathTo(name), directoryMode);
    const made = await parent.openChild(name);
    if (made !== null) return made;
    throw Object.assign(new Error("not there"), { code: found === null ? "ENOENT" : "ENOTDIR", syscall: "open" });
  } catch (error) {
    // What the file system said, for the words of the command line.
    throw MemoryError.isInstance(error) ? (error.cause ?? error) : error;
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

const linkFault = (path: string): Error =>
  inputFault(`${path}: it is a link, and could lead out of the folder; put the file itself there`);
const notRegular = (path: string): Error => inputFault(`${path}: it is not a regular file; export it again`);
