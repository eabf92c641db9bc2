import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { MemoryError } from "../../core/values/errors.js";
import { getErrorCode, ioOrNull } from "./fs-errors.js";
import { workFolder } from "./names.js";
import type { OpenDirectory } from "./open-directory.js";
import { hasEnded, ownIdentity, type ProcessIdentity } from "./process-identity.js";
import type { Modes } from "./rights.js";
import { isObject } from "../../core/values/unknown-values.js";

/**
 * A lock whose time is so far from now is taken over, where its holder is not known to have ended. The time is in the past
 * if nobody refreshes the lock, and in the future if a clock was wrong: machines that share a folder agree better.
 */
export const staleMs = 5000;

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const maxLockBytes = 1000;

/** What one look at a lock tells of who holds it. */
interface Seen {
  /** Of this holding; no other has it. */
  id: string;
  isStale: boolean;
  isDirectory: boolean;
}

/** Makes a file that says who made it, where there is none of the name. Answers the id of the new holding. */
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
 * Takes over a lock whose holder is gone; answers the id of the new holding, null where there is nothing to take over.
 *
 * Several processes can find the same holder gone, and a slow one when the lock is already another's. Whoever makes the
 * file that is named after the old holding, and finds that still in place, has the right to the lock, and this file
 * becomes the lock by one `rename`. Its maker can be gone, too: then the file is taken over in the same way.
 */
export async function takeOver(work: OpenDirectory, name: string, modes: Modes): Promise<string | null> {
  const seen = await look(work, name);
  if (seen?.isStale !== true) return null;
  const startedMs = Date.now();
  const right = `taken-${seen.id}`;
  const id = (await claim(work, right, modes)) ?? (await takeOver(work, right, modes));
  if (id === null) return null;
  const again = await look(work, name);
  const isMine = again?.id === seen.id && again.isStale && Date.now() - startedMs < staleMs / 2;
  if (isMine && !again.isDirectory) {
    const isMoved = await ioOrNull(rename(work.pathTo(right), work.pathTo(name)).then(() => true));
    return isMoved === true && Date.now() - startedMs < staleMs / 2 ? id : null;
  }
  // Version 0.1.0 locks by a directory, which is empty.
  const isFull = isMine && (await isNotEmpty(rmdir(work.pathTo(name))));
  await ioOrNull(unlink(work.pathTo(right)));
  if (isFull) throw fullDirectory(name);
  return isMine ? claim(work, name, modes) : null;
}

/** Frees a lock that may have been taken over: then it stays. */
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
    // What does not say who holds it, such as a file that was cut short by a crash, is known by its time.
    id: holder?.id ?? `${stats.ino}-${Math.round(stats.mtimeMs)}`,
    isStale:
      Math.abs(Date.now() - stats.mtimeMs) > staleMs || (holder?.process !== undefined && hasEnded(holder.process)),
    isDirectory: stats.isDirectory(),
  };
}

async function isNotEmpty(removal: Promise<void>): Promise<boolean> {
  try {
    await removal;
    return false;
  } catch (error) {
    return ["ENOTEMPTY", "EEXIST"].includes(getErrorCode(error) ?? "");
  }
}

function fullDirectory(name: string): MemoryError {
  return new MemoryError(
    "EIO",
    `EIO: ${workFolder}/${name} is a directory with something in it, and no lock of this package; delete it`,
  );
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
