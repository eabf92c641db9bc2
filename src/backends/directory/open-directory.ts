import { closeSync, constants, existsSync, open as openWithCallback, readlinkSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { ioOrNull, linkInTheWay } from "./fs-errors.js";

const openHandle = promisify(openWithCallback);

/**
 * Whether `/proc/self/fd/<handle>/name` is a name in the directory that is open, whatever becomes of the directory's
 * path: what other programs call `openat`, which Node has not. Without it, paths are checked before and after their
 * use.
 */
const hasHandles = process.platform === "linux" && existsSync("/proc/self/fd");

/** `O_PATH`, which Node does not name: a handle that needs no right to read. */
const namesOnly = 0o10000000;
const directoryFlags = namesOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A directory whose names can be used without following a link that was put on the way to it. */
export class OpenDirectory {
  /** Absolute, as it was when the directory was opened. */
  readonly path: string;
  /** The directory itself, for `readdir`. */
  readonly base: string;
  readonly #handle: number | null;
  /** Whether its path is checked before and after each use, as there is no handle of it. */
  readonly isChecked: boolean;

  private constructor(path: string, handle: number | null, isChecked: boolean) {
    this.path = path;
    this.base = handle === null ? path : shownPath(handle);
    this.#handle = handle;
    this.isChecked = isChecked;
  }

  /** A memory's folder. The way to it is the program's choice, links included. */
  static root(path: string): OpenDirectory {
    return new OpenDirectory(path, null, false);
  }

  /**
   * Opens a directory below the root in one step. Null does not say why: name by name, `openChild` is right everywhere.
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

  /** Opens a directory in this one; null where the name is missing, a link, or of something else. */
  async openChild(name: string | Buffer): Promise<OpenDirectory | null> {
    const path = join(this.path, name.toString());
    if (hasHandles) {
      const handle = await ioOrNull(openHandle(this.pathTo(name), directoryFlags), { linkIsMissing: true });
      return handle === null ? null : new OpenDirectory(path, handle, false);
    }
    const stats = await ioOrNull(lstat(path));
    return stats?.isDirectory() === true ? new OpenDirectory(path, null, true) : null;
  }

  /** For calls that do not follow a link of this name. A name that is no UTF-8 is passed as its bytes. */
  pathTo(name: string): string;
  pathTo(name: string | Buffer): string | Buffer;
  pathTo(name: string | Buffer): string | Buffer {
    return typeof name === "string" ? join(this.base, name) : Buffer.concat([Buffer.from(this.base + sep), name]);
  }

  /** To be called before and after each use where there are no handles; does nothing elsewhere. @throws EINVAL */
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
