import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readFile, rename, unlink } from "node:fs/promises";
import { getErrorCode, ioOrNull } from "./fs-errors.js";
import type { OpenDirectory } from "./open-directory.js";
import { hasEnded, ownIdentity, type ProcessIdentity } from "./process-identity.js";
import type { Modes } from "./rights.js";
import { isObject } from "../../core/values/unknown-values.js";

/**
 * A lock whose time is further from now than this is taken over. If its holder has certainly ended, this happens at
 * once. The time is in the past if nobody refreshes the lock, and in the future if a clock was wrong.
 */
export const staleMs = 5000;

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const maxLockBytes = 1000;

/** The state of a lock, as read once. */
interface Seen {
  /** The id of this claim. No other claim has the same id. */
  id: string;
  isStale: boolean;
}

/**
 * Creates the lock file, with the identity of this process. Returns the id of the claim, or null if the file exists.
 */
export async function claim(work: OpenDirectory, name: string, modes: Modes): Promise<string | null> {
  await work.check();
  const id = randomUUID();
  const handle = await open(work.pathTo(name), "wx", modes.file).catch((error: unknown) => {
    if (getErrorCode(error) === "EEXIST") return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    await handle.writeFile(JSON.stringify({ id, ...ownIdentity() }));
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

/** Frees a lock, unless another process has taken it over. */
export async function freeIfHeld(work: OpenDirectory, name: string, id: string, modes: Modes): Promise<void> {
  const right = `taken-${id}`;
  if ((await claim(work, right, modes)) === null) return;
  if (await isHeldBy(work, name, id)) await unlink(work.pathTo(name));
  await unlink(work.pathTo(right));
}

export async function isHeldBy(work: OpenDirectory, name: string, id: string): Promise<boolean> {
  return (await look(work, name))?.id === id;
}

async function look(work: OpenDirectory, name: string): Promise<Seen | null> {
  const path = work.pathTo(name);
  const stats = await ioOrNull(lstat(path));
  if (stats === null) return null;
  const isReadable = stats.isFile() && stats.size <= maxLockBytes;
  const text = isReadable ? await ioOrNull(readFile(path, { encoding: "utf8", flag: readFlags })) : "";
  if (text === null) return null;
  const holder = parsed(text);
  return {
    // A file that does not name its holder, for example after a crash during the write, is identified by its time.
    id: holder?.id ?? `${stats.ino}-${Math.round(stats.mtimeMs)}`,
    isStale:
      Math.abs(Date.now() - stats.mtimeMs) > staleMs || (holder?.process !== undefined && hasEnded(holder.process)),
  };
}

function parsed(text: string): { id: string; process: ProcessIdentity | undefined } | null {
  try {
    const holder: unknown = JSON.parse(text);
    if (!isObject(holder)) return null;
    const { id, place, pid, started } = holder;
    if (typeof id !== "string" || !/^[0-9a-f-]{36}$/.test(id)) return null;
    const isKnown =
      typeof place === "string" &&
      typeof pid === "number" &&
      Number.isSafeInteger(pid) &&
      pid > 0 &&
      typeof started === "string";
    return { id, process: isKnown ? { place, pid, started } : undefined };
  } catch {
    return null;
  }
}
