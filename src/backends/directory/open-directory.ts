import { closeSync, constants, existsSync, open as openWithCallback, readlinkSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { ioOrNull, linkInTheWay } from "./fs-errors.js";

const openHandle = promisify(openWithCallback);

/**
 * Whether `/proc/self/fd/<handle>/name` names a file in an open directory, even if the path of the directory changes.
 * Such a name replaces `openat`, which Node does not have. Other systems check paths before and after each use.
 */
const hasHandles = process.platform === "linux" && existsSync("/proc/self/fd");

/** `O_PATH`, a constant that Node does not have: opens a handle without the right to read. */
const namesOnly = 0o10000000;
const directoryFlags = namesOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A directory whose names can be used without following a link that was put on the way to it. */
export class OpenDirectory {
  /** The absolute path at the time when the directory was opened. */
  readonly path: string;
  /** The directory itself, for `readdir`. */
  readonly base: string;
  readonly #handle: number | null;
  /** Whether the path is checked before and after each use, because the system has no handles of directories. */
  readonly isChecked: boolean;

  private constructor(path: string, handle: number | null, isChecked: boolean) {
    this.path = path;
    this.base = handle === null ? path : shownPath(handle);
    this.#handle = handle;
    this.isChecked = isChecked;
  }

  /** Returns the folder of a memory. The program chooses the path to it, which may contain links. */
  static root(path: string): OpenDirectory {
    return new OpenDirectory(path, null, false);
  }

  /**
   * Opens a directory below the root in one step. Returns null without a reason; then open the path name by name with
   * `openChild`.
   */
  static async inOneStep(path: string): Promise<OpenDirectory | null> {
    if (!hasHandles) return null;
    const handle = await ioOrNull(openHandle(path, directoryFlags), { linkIsMissing: true });
    if (handle === null) return null;
    const opened = new OpenDirectory(path, handle, false);
    if (readlinkSync(shownPath(handle)) === path) return opened;
    opened.close();
    return null;
  }

  /** Opens a directory in this one. Returns null if the name is missing, or is not a directory but a link or a file. */
  async openChild(name: string | Buffer): Promise<OpenDirectory | null> {
    const path = join(this.path, name.toString());
    if (hasHandles) {
      const handle = await ioOrNull(openHandle(this.pathTo(name), directoryFlags), { linkIsMissing: true });
      return handle === null ? null : new OpenDirectory(path, handle, false);
    }
    const stats = await ioOrNull(lstat(path));
    return stats?.isDirectory() === true ? new OpenDirectory(path, null, true) : null;
  }

  /** Returns a path for calls that do not follow a link of this name. A name that is not UTF-8 is given as bytes. */
  pathTo(name: string): string;
  pathTo(name: string | Buffer): string | Buffer;
  pathTo(name: string | Buffer): string | Buffer {
    return typeof name === "string" ? join(this.base, name) : Buffer.concat([Buffer.from(this.base + sep), name]);
  }

  /** Refuses links on the path. Call it before and after each use; with a handle it does nothing. @throws EINVAL */
  async check(): Promise<void> {
    if (!this.isChecked) return;
    const real = await ioOrNull(realpath(this.path));
    if (real !== null && real !== this.path) throw linkInTheWay();
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }
}

const shownPath = (handle: number): string => `/proc/self/fd/${handle}`;
