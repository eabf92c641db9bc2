import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readFile, rename, unlink } from "node:fs/promises";
import { getErrorCode, ioOrNull } from "./fs-errors.js";
import type { OpenDirectory } from "./open-directory.js";
import type { Modes } from "./rights.js";

/**
 * A lock whose time is further from now than this is taken over. The time is in the past if nobody refreshes the lock,
 * and in the future if a clock was wrong.
 */
export const staleMs = 5000;

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const idLength = randomUUID().length;

/** The state of a lock, as read once. */
interface Seen {
  /** The id of this claim. No other claim has the same id. */
  id: string;
  isStale: boolean;
}

/** Creates the lock file. Returns the id of the claim, which is its text, or null if the file exists. */
export async function claim(work: OpenDirectory, name: string, modes: Modes): Promise<string | null> {
  await work.check();
  const id = randomUUID();
  const handle = await open(work.pathTo(name), "wx", modes.file).catch((error: unknown) => {
    if (getErrorCode(error) === "EEXIST") return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    await handle.writeFile(id);
  } catch (error) {
    await unlink(work.pathTo(name)).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
  return id;
}

/**
 * Takes over a lock whose holder is gone. Returns the id of the new claim, or null if nothing can be taken over.
 *
 * Several processes can notice the same stale lock, and a slow process can notice it after another one took the lock
 * over. So a process first creates a file named after the old claim. If the old lock is then still in place, this file
 * becomes the lock by one `rename`. If the process that created the file is gone too, the file itself is taken over in
 * the same way.
 */
export async function takeOver(work: OpenDirectory, name: string, modes: Modes): Promise<string | null> {
  const seen = await look(work, name);
  if (seen?.isStale !== true) return null;
  const startedMs = Date.now();
  const right = `taken-${seen.id}`;
  const id = (await claim(work, right, modes)) ?? (await takeOver(work, right, modes));
  if (id === null) return null;
  const again = await look(work, name);
  if (again?.id !== seen.id || !again.isStale || Date.now() - startedMs >= staleMs / 2) {
    await ioOrNull(unlink(work.pathTo(right)));
    return null;
  }
  const isMoved = await ioOrNull(rename(work.pathTo(right), work.pathTo(name)).then(() => true));
  return isMoved === true && Date.now() - startedMs < staleMs / 2 ? id : null;
}

export async function isHeldBy(work: OpenDirectory, name: string, id: string): Promise<boolean> {
  return (await look(work, name))?.id === id;
}

async function look(work: OpenDirectory, name: string): Promise<Seen | null> {
  const path = work.pathTo(name);
  const stats = await ioOrNull(lstat(path));
  if (stats === null) return null;
  const hasId = stats.isFile() && stats.size === idLength;
  const text = hasId ? await ioOrNull(readFile(path, { encoding: "utf8", flag: readFlags })) : "";
  if (text === null) return null;
  return {
    // A file without an id, for example after a crash during the write, is identified by its time.
    id: /^[0-9a-f-]{36}$/.test(text) ? text : `${stats.ino}-${Math.round(stats.mtimeMs)}`,
    isStale: Math.abs(Date.now() - stats.mtimeMs) > staleMs,
  };
}
