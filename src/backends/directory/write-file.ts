import { fsync, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { FileStat } from "../../core/memory.js";
import type { Place } from "./folder.js";
import type { Hold } from "./folder-lock.js";
import { fileSystemError, getErrorCode, io, linkInTheWay } from "./fs-errors.js";
import type { OpenDirectory } from "./open-directory.js";
import { keptModeBits, type Modes } from "./rights.js";
import { discard, freshName } from "./work-folder.js";

/** The place of a new file below the directory `parent`. All `names` but the last are directories to be created. */
export interface Destination {
  parent: OpenDirectory;
  names: readonly string[];
}

export interface WriteSettings {
  modes: Modes;
}

/**
 * Writes a file in the work folder, then moves it into place in one step, with the directories that are missing on the
 * way. So no reader and no crash sees half a file. `write-file-atomic` is not used: it puts half-written files next to
 * the others, under names that a note can have, and accepts a short write on a full disk as complete.
 *
 * @param replaced the file that is replaced; the new file keeps its rights and owner
 */
export async function placeFile(
  { parent, names }: Destination,
  text: string,
  { modes, replaced, hold }: WriteSettings & { replaced?: Stats; hold: Hold },
): Promise<FileStat> {
  const [first = "", ...below] = names;
  return moveIntoPlace(hold, { parent, name: first }, async (top) => {
    const last = below.at(-1) ?? top;
    const directories = below.length === 0 ? [] : [top, ...below.slice(0, -1)];
    const make = (directory: OpenDirectory): Promise<Stats> =>
      makeFile(directory.pathTo(last), text, { modes, replaced });
    return fileStat(await inNewDirectories(hold.work, directories, modes, make));
  });
}

/** Creates the directories of a destination, for all names but the last, in one step. */
export async function placeDirectories({ parent, names }: Destination, hold: Hold, modes: Modes): Promise<void> {
  const [first, ...below] = names.slice(0, -1);
  if (first === undefined) return;
  await moveIntoPlace(hold, { parent, name: first }, (top) =>
    inNewDirectories(hold.work, [top, ...below], modes, async () => undefined),
  );
}

/** Renames, and checks that no link on the paths redirected the change. */
export async function move(hold: Hold, from: Place, to: Place): Promise<void> {
  const check = (): Promise<unknown> => Promise.all([from.parent.check(), to.parent.check()]);
  await check();
  await renameWhenFree(hold, from.parent.pathTo(from.name), to.parent.pathTo(to.name));
  await check();
}

const maxRenames = 10;
const heldOpen = new Set(["EACCES", "EBUSY", "EPERM"]);

/**
 * Windows refuses to rename what somebody has open, such as a reader or a virus scanner. So it is tried again there.
 */
async function renameWhenFree(hold: Hold, from: string, to: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    hold.assertHeld();
    try {
      return await rename(from, to);
    } catch (error) {
      const isHeldOpen = process.platform === "win32" && heldOpen.has(getErrorCode(error) ?? "");
      if (!isHeldOpen || count === maxRenames) throw fileSystemError(error);
    }
    await sleep(10 * count);
  }
}

async function moveIntoPlace<T>(hold: Hold, to: Place, make: (top: string) => Promise<T>): Promise<T> {
  const top = freshName("new");
  try {
    const made = await make(top);
    await move(hold, { parent: hold.work, name: top }, to);
    return made;
  } catch (error) {
    await discard(hold.work, top);
    throw error;
  }
}

/** Creates directories, each in the one before, and runs a task in the last. */
async function inNewDirectories<T>(
  parent: OpenDirectory,
  [name, ...below]: readonly string[],
  modes: Modes,
  run: (directory: OpenDirectory) => Promise<T>,
): Promise<T> {
  await parent.check();
  if (name === undefined) return run(parent);
  await io(mkdir(parent.pathTo(name), modes.directory));
  const directory = await parent.openChild(name);
  if (directory === null) throw linkInTheWay();
  try {
    return await inNewDirectories(directory, below, modes, run);
  } finally {
    directory.close();
  }
}

async function makeFile(
  path: string,
  text: string,
  { modes, replaced }: WriteSettings & { replaced: Stats | undefined },
): Promise<Stats> {
  const handle = await io(open(path, "wx", replaced === undefined ? modes.file : replaced.mode & 0o777));
  try {
    await io(handle.writeFile(text));
    const stats = await io(handle.stat());
    if (replaced !== undefined) await io(keepRights(handle, stats, replaced));
    // The text is on the disk before it is in its place.
    await io(syncFile(handle));
    return stats;
  } finally {
    await handle.close();
  }
}

/** Writes a file through to the disk. Reason: the `sync` of a handle does not exist under Yarn PnP. */
export const syncFile = ({ fd }: FileHandle): Promise<void> => promisify(fsync)(fd);

async function keepRights(handle: FileHandle, stats: Stats, { uid, gid, mode }: Stats): Promise<void> {
  if (stats.uid !== uid || stats.gid !== gid) {
    await handle.chown(uid, gid).catch((error: unknown) => {
      // Only root can give files away. A user who may replace the file of another user becomes its owner.
      if (getErrorCode(error) !== "EPERM") throw error;
    });
  }
  if ((stats.mode & 0o7777) !== (mode & keptModeBits)) await handle.chmod(mode & keptModeBits);
}

/**
 * Returns size and times of a file. A replaced file is a new file for the file system, so `createdAt` is the time when
 * the file got its present text, or the earlier time that an unpacked or copied file kept.
 */
export function fileStat({ size, birthtimeMs, mtimeMs }: Stats): FileStat {
  const createdAtMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
  return { kind: "file", sizeBytes: size, createdAt: new Date(createdAtMs), updatedAt: new Date(mtimeMs) };
}
