import { randomInt } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
// Loaded with the module: loaded later, its signal listener would end a program before that program's own `once` listener
// is done.
import lockfile from "proper-lockfile";
import { MemoryError } from "../../core/errors.js";
import { KeyedMutex } from "../../core/keyed-mutex.js";
import { codeOf, ioOrNull, fileSystemError } from "./fs-errors.js";
import { workFolder } from "./names.js";
import { cleanWorkFolder, makeWorkFolder } from "./work-folder.js";

/** A lock that was not refreshed for so long is taken over. Its holder refreshes it twice in that time. */
const staleMs = 5000;

/** A holder whose event loop stood still for longer refreshed its lock too late: another may have it. */
const maxPauseMs = 2000;
const pauseCheckMs = 500;

/** Short, as a process with many changes in its queue frees the lock for an instant only. */
const maxPollMs = 10;

/** One queue for each folder, so that the changes of one process do not poll the lock against each other. */
const queues = new KeyedMutex();

/** Folders in which this process has looked for what a crash left behind. */
const cleaned = new Set<string>();

export interface Hold {
  /** Called right before a change becomes visible. @throws what makes the task run again, where the lock may be lost */
  assertHeld(): void;
}

/**
 * Runs a task while no other process, and no other task of this one, changes the folder. The task runs again where this
 * process stood still for so long that it may have lost the lock; it has changed nothing then.
 *
 * @param root absolute, its links resolved; made where it is missing.
 * @throws EIO where the lock is not to be had, or to be kept, within `timeoutMs`; what the task throws
 */
export async function withFolderLock<T>(root: string, timeoutMs: number, task: (hold: Hold) => Promise<T>): Promise<T> {
  return queues.run(root, async () => {
    const deadlineMs = Date.now() + timeoutMs;
    for (;;) {
      if (!cleaned.has(root)) await makeWorkFolder(root);
      const lock = await acquire(root, deadlineMs);
      try {
        if (!cleaned.has(root)) await cleanWorkFolder(root);
        cleaned.add(root);
        return await task(lock);
      } catch (error) {
        if (!(error instanceof LockLost)) throw error;
        if (Date.now() >= deadlineMs) throw lockTimeout();
      } finally {
        await lock.release();
      }
    }
  });
}

async function acquire(root: string, deadlineMs: number): Promise<FolderLock> {
  for (let pollMs = 2; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    // No lock counts as stale here: only takeOver removes one, one process at a time.
    const lock = (await tryLock(root, "lock", Infinity)) ?? (await takeOver(root));
    if (lock !== null) return lock;
    if (Date.now() >= deadlineMs) throw lockTimeout();
    await sleep(randomInt(pollMs) + 1);
  }
}

function lockTimeout(): MemoryError {
  return new MemoryError("EIO", "EIO: other processes kept the memory locked for too long; nothing was changed");
}

/**
 * The library removes a stale lock and takes its place in two steps, so of two processes that find it stale one can
 * remove the other's fresh lock. Therefore they come one by one, and each looks again.
 */
async function takeOver(root: string): Promise<FolderLock | null> {
  if (!(await isStale(root))) return null;
  const guard = await tryLock(root, "takeover", staleMs);
  if (guard === null) return null;
  try {
    cleaned.delete(root);
    return await tryLock(root, "lock", staleMs);
  } finally {
    await guard.release();
  }
}

const pathOfLock = (root: string, name: string): string => join(root, workFolder, name);

async function isStale(root: string): Promise<boolean> {
  const stats = await ioOrNull(lstat(pathOfLock(root, "lock")));
  return stats !== null && stats.mtimeMs < Date.now() - staleMs;
}

/** Null where somebody holds it. @param stale age in ms at which a lock counts as left behind */
async function tryLock(root: string, name: "lock" | "takeover", stale: number): Promise<FolderLock | null> {
  const lockfilePath = pathOfLock(root, name);
  const lock = new FolderLock();
  const onCompromised = (): void => lock.lose();
  try {
    const options = { lockfilePath, realpath: false, stale, update: staleMs / 2, onCompromised };
    lock.hold(await lockfile.lock(lockfilePath, options));
    return lock;
  } catch (error) {
    // Somebody, or `git clean`, has removed the folder of the lock.
    if (codeOf(error) === "ENOENT") await makeWorkFolder(root);
    else if (codeOf(error) !== "ELOCKED") throw fileSystemError(error);
    return null;
  }
}

class LockLost extends Error {}

class FolderLock implements Hold {
  #isLost = false;
  #aliveAtMs = Date.now();
  #pauseCheck: NodeJS.Timeout | undefined;
  #unlock: (() => Promise<void>) | undefined;

  hold(unlock: () => Promise<void>): void {
    this.#unlock = unlock;
    this.#pauseCheck = setInterval(() => this.#noticePause(), pauseCheckMs).unref();
  }

  lose(): void {
    this.#isLost = true;
  }

  assertHeld(): void {
    this.#noticePause();
    if (this.#isLost) throw new LockLost();
  }

  async release(): Promise<void> {
    clearInterval(this.#pauseCheck);
    this.#noticePause();
    // The library would remove the lock of another process too. After this pause it has checked whose the lock is.
    if (this.#isLost) await sleep(pauseCheckMs);
    try {
      await this.#unlock?.();
    } catch {
      // The change is made already. A lock that stays behind is taken over.
    }
  }

  #noticePause(): void {
    const now = Date.now();
    if (now - this.#aliveAtMs > maxPauseMs) this.#isLost = true;
    this.#aliveAtMs = now;
  }
}
