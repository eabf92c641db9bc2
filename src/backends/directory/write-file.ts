import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileStat } from "../../core/memory.js";
import { codeOf, io } from "./fs-errors.js";
import type { Hold } from "./folder-lock.js";
import { discard, freshPath } from "./work-folder.js";

/** Where a file goes: `names`, of which all but the last are directories to be made, below the directory `parent`. */
export interface Destination {
  parent: string;
  names: readonly string[];
}

export interface WriteSettings {
  root: string;
  /** Whether the text is on the disk before it is in its place. */
  fsync: boolean;
}

const newFileMode = 0o666;
const permissionBits = 0o7777;

/**
 * Writes a file beside the memory and moves it into its place, with the directories that are missing on the way: in one
 * step, so that no reader sees half of it and a crash leaves none. `write-file-atomic` would put its half-written files
 * beside the others, under names that a note can have, and takes a short write on a full disk for a whole one.
 *
 * @param replaced the file whose place it takes, and whose rights and owner it keeps
 */
export async function placeFile(
  { parent, names }: Destination,
  text: string,
  { root, fsync, replaced, hold }: WriteSettings & { replaced?: Stats; hold: Hold },
): Promise<FileStat> {
  const top = freshPath(root, "new");
  const file = join(top, ...names.slice(1));
  try {
    if (file !== top) await io(mkdir(dirname(file), { recursive: true }));
    const stats = await io(makeFile(file, text, { fsync, replaced }));
    hold.assertHeld();
    await io(rename(top, join(parent, names[0] ?? "")));
    return fileStat(stats);
  } catch (error) {
    await discard(top);
    throw error;
  }
}

async function makeFile(
  file: string,
  text: string,
  { fsync, replaced }: { fsync: boolean; replaced: Stats | undefined },
): Promise<Stats> {
  const handle = await open(file, "wx", replaced ? replaced.mode & 0o777 : newFileMode);
  try {
    await handle.writeFile(text);
    const stats = await handle.stat();
    if (replaced !== undefined) await keepRights(handle, stats, replaced);
    if (fsync) await handle.sync();
    return stats;
  } finally {
    await handle.close();
  }
}

async function keepRights(handle: FileHandle, stats: Stats, { uid, gid, mode }: Stats): Promise<void> {
  if (stats.uid !== uid || stats.gid !== gid) {
    await handle.chown(uid, gid).catch((error: unknown) => {
      // Only root gives files away; whoever may replace another's file owns the new one.
      if (codeOf(error) !== "EPERM") throw error;
    });
  }
  if (stats.mode !== mode) await handle.chmod(mode & permissionBits);
}

/** Makes the directories of a destination, all but its last name, in one step. */
export async function placeDirectories({ parent, names }: Destination, root: string, hold: Hold): Promise<void> {
  const directories = names.slice(0, -1);
  if (directories.length === 0) return;
  const top = freshPath(root, "new");
  try {
    await io(mkdir(join(top, ...directories.slice(1)), { recursive: true }));
    hold.assertHeld();
    await io(rename(top, join(parent, directories[0] ?? "")));
  } catch (error) {
    await discard(top);
    throw error;
  }
}

/**
 * A file's times. A replaced file is a new one to the file system, so `createdAt` is when the file got its present
 * text, or what an unpacked or copied file brought with it, where that is earlier.
 */
export function fileStat({ size, birthtimeMs, mtimeMs }: Stats): FileStat {
  const createdAtMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
  return { kind: "file", sizeBytes: size, createdAt: new Date(createdAtMs), updatedAt: new Date(mtimeMs) };
}
