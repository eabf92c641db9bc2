import { randomInt } from "node:crypto";
import { unlink, utimes } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryError } from "../../core/values/errors.js";
import { KeyedMutex } from "../../core/runtime/keyed-mutex.js";
import { RecentMap } from "../../core/runtime/recent-map.js";
import type { CallContext } from "../../core/runtime/call.js";
import { getErrorCode, fileSystemError } from "./fs-errors.js";
import { claim, isHeldBy, staleMs, takeOver } from "./lock-file.js";
import type { OpenDirectory } from "./open-directory.js";
import type { Modes } from "./rights.js";
import { cleanWorkFolder, openWorkFolder } from "./work-folder.js";

const refreshMs = staleMs / 2;

/**
 * A holder that does not refresh its lock for this long, because the process or the file system stood still, may soon
 * lose the lock. So may a holder whose clock was set back.
 */
const maxUnrefreshedMs = staleMs - 500;

/** Short, as a process with many changes in its queue frees the lock for an instant only. */
const maxPollMs = 10;
const lookAtHolderMs = 100;

const lockName = "lock";

/** One queue for each folder, so that the changes of one process do not poll the lock against each other. */
const queues = new KeyedMutex();

/** Folders in which this process has looked for what a crash left behind. It looks again in one that is forgotten. */
const cleaned = new RecentMap<true>(10_000);

export interface LockSettings {
  timeoutMs: number;
  /** The modes of the work folder and of the files of the lock. */
  modes: Modes;
  /** The call that needs the lock. If the call has ended, the task does not begin. */
  call?: CallContext | undefined;
}

export interface Hold {
  /** The directory in which a change is prepared before it is moved into place. */
  work: OpenDirectory;
  /**
   * Called right before a change becomes visible.
   * @throws what makes the task run again, where the lock may be lost; the reason for which the call is over
   */
  assertHeld(): void;
}

/**
 * Runs a task while no other process, and no other task of this one, changes the folder. The task runs again where this
 * process stood still for so long that it may have lost the lock; it has changed nothing then.
 *
 * @param root absolute, its links resolved; made where it is missing.
 * @throws EIO where the lock is not to be had, or to be kept, within `timeoutMs`; what the task throws
 */
export async function withFolderLock<T>(
  root: string,
  settings: LockSettings,
  task: (hold: Hold) => Promise<T>,
): Promise<T> {
  return queues.run(root, async () => {
    const deadlineMs = Date.now() + settings.timeoutMs;
    for (;;) {
      settings.call?.throwIfAborted();
      const work = await openWorkFolder(root, settings.modes);
      try {
        const lock = await acquire(root, work, settings, deadlineMs);
        if (lock === null) {
          // Somebody has removed the work folder, as `git clean` does. It is created again.
          cleaned.delete(root);
          if (Date.now() >= deadlineMs) throw lockTimeout();
          continue;
        }
        try {
          if (cleaned.get(root) === undefined) await cleanWorkFolder(work, settings.modes);
          cleaned.set(root, true);
          return await task(lock);
        } finally {
          await lock.release();
        }
      } catch (error) {
        if (!(error instanceof LockLost)) throw error;
        if (Date.now() >= deadlineMs) throw lockTimeout();
      } finally {
        work.close();
      }
    }
  });
}

/** Null where the work folder is gone. */
async function acquire(
  root: string,
  work: OpenDirectory,
  { modes, call }: LockSettings,
  deadlineMs: number,
): Promise<FolderLock | null> {
  let lookAtMs = 0;
  for (let pollMs = 2; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    try {
      const startedMs = Date.now();
      const id = await claim(work, lockName, modes);
      if (id !== null) return new FolderLock(work, id, startedMs, call);
      if (startedMs >= lookAtMs) {
        lookAtMs = startedMs + lookAtHolderMs;
        const takenId = await takeOver(work, lockName, modes);
        if (takenId !== null) {
          cleaned.delete(root);
          return new FolderLock(work, takenId, startedMs, call);
        }
      }
    } catch (error) {
      if (getErrorCode(error) === "ENOENT") return null;
      throw fileSystemError(error);
    }
    call?.throwIfAborted();
    if (Date.now() >= deadlineMs) throw lockTimeout();
    await sleep(randomInt(pollMs) + 1);
  }
}

function lockTimeout(): MemoryError {
  return new MemoryError("EIO", "EIO: other processes kept the memory locked for too long; nothing was changed");
}

class LockLost extends Error {}

class FolderLock implements Hold {
  readonly work: OpenDirectory;
  readonly #id: string;
  readonly #call: CallContext | undefined;
  readonly #refreshTimer: NodeJS.Timeout;
  #refreshedAtMs: number;
  #refreshing: Promise<void> | undefined;
  #isLost = false;

  constructor(work: OpenDirectory, id: string, startedMs: number, call: CallContext | undefined) {
    this.work = work;
    this.#id = id;
    this.#call = call;
    this.#refreshedAtMs = startedMs;
    this.#refreshTimer = setInterval(() => void (this.#refreshing = this.#refresh()), refreshMs).unref();
  }

  assertHeld(): void {
    this.#call?.throwIfAborted();
    this.#noticePause();
    if (this.#isLost) throw new LockLost();
  }

  async release(): Promise<void> {
    clearInterval(this.#refreshTimer);
    await this.#refreshing;
    this.#noticePause();
    // A lock that may be another's, or that cannot be removed, is taken over when it is stale.
    if (!this.#isLost) await unlink(this.work.pathTo(lockName)).catch(() => {});
  }

  async #refresh(): Promise<void> {
    this.#noticePause();
    if (this.#isLost) return;
    const startedMs = Date.now();
    try {
      if (await isHeldBy(this.work, lockName, this.#id)) {
        await utimes(this.work.pathTo(lockName), new Date(), new Date());
        this.#refreshedAtMs = startedMs;
      } else this.#isLost = true;
    } catch {
      // Tried again, until it is too late.
    }
  }

  #noticePause(): void {
    if (Math.abs(Date.now() - this.#refreshedAtMs) > maxUnrefreshedMs) this.#isLost = true;
  }
}
