import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { directoryNotFound, MemoryError } from "../../core/errors.js";
import type { MemoryEntry } from "../../core/memory.js";
import { ROOT, segmentsOf } from "../../core/paths.js";
import { ioOrNull, isForbidden, linkInTheWay, notAFile } from "./fs-errors.js";
import { isReserved, pathOfChild, reservedName } from "./names.js";

/** What a path leads to. `missing`: `names` are the segments that are not there, below the directory `parent`. */
export type Located =
  | { kind: "file"; absolute: string; stats: Stats }
  | { kind: "dir"; absolute: string }
  | { kind: "missing"; parent: string; names: string[] }
  | { kind: "belowFile" };

export interface FoundEntry extends MemoryEntry {
  path: string;
  absolute: string;
}

export interface FoundFile {
  path: string;
  absolute: string;
  stats: Stats;
}

/** The largest limit a memory can have (`maxFileBytes`); a larger file was put there by other means and is not read. */
const maxReadableBytes = 15_000_000;

/** A file is checked before it is opened. The flags refuse a link, and never wait for a pipe, that took its place in between. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Files looked at at once; a memory of thousands must not use up the handles of the process. */
const maxParallel = 32;

/** Reads a real folder, and nothing that a link in it leads to. */
export class Folder {
  /** Absolute, its own links resolved. */
  readonly root: string;
  #foldsNames: boolean | undefined;

  constructor(root: string) {
    this.root = root;
  }

  /** @throws EINVAL where a link, a special file or a reserved name is on the way or at its end */
  async locate(path: string): Promise<Located> {
    const names = segmentsOf(path);
    let absolute = this.root;
    for (const [index, name] of names.entries()) {
      if (isReserved(name)) throw reservedName(name);
      const parent = absolute;
      absolute = join(parent, name);
      const stats = await this.#statsOf(parent, name);
      if (stats === null) return { kind: "missing", parent, names: names.slice(index) };
      if (stats.isSymbolicLink()) throw linkInTheWay();
      if (stats.isDirectory()) continue;
      if (!stats.isFile()) throw notAFile();
      return index === names.length - 1 ? { kind: "file", absolute, stats } : { kind: "belowFile" };
    }
    return { kind: "dir", absolute };
  }

  /** Whatever a command can name: neither links and special files, nor names that no path can hold. @throws ENOENT */
  async entries(path: string, absolute: string): Promise<FoundEntry[]> {
    // As bytes, for a name that is no UTF-8 would come back as another one.
    const found = await ioOrNull(readdir(absolute, { withFileTypes: true, encoding: "buffer" }), { inFolder: path === ROOT });
    if (found === null) {
      if (path === ROOT) return [];
      throw directoryNotFound();
    }
    const entries: FoundEntry[] = [];
    for (const entry of found) {
      const kind = entry.isFile() ? "file" : entry.isDirectory() ? "dir" : null;
      if (kind === null || !isUtf8(entry.name)) continue;
      const name = entry.name.toString();
      const child = pathOfChild(path, name);
      if (child !== null) entries.push({ name, kind, path: child, absolute: join(absolute, name) });
    }
    return entries;
  }

  /** All below a directory. What vanishes meanwhile is left out, and the inside of a directory that may not be read. */
  async walk(path: string, absolute: string): Promise<{ files: FoundFile[]; directories: string[] }> {
    const files: FoundFile[] = [];
    const directories: string[] = [];
    let level = await this.entries(path, absolute);
    while (level.length > 0) {
      const found = await inParallel(level, async (entry) => {
        if (entry.kind === "dir") return this.#entriesOrNone(entry);
        const stats = await ioOrNull(lstat(entry.absolute));
        if (stats?.isFile() === true) files.push({ path: entry.path, absolute: entry.absolute, stats });
        return [];
      });
      for (const entry of level) if (entry.kind === "dir") directories.push(entry.path);
      level = found.flat();
    }
    return { files, directories };
  }

  /** The names in a directory as they are spelled; none where it is missing. */
  async namesIn(absolute: string): Promise<string[]> {
    return (await ioOrNull(readdir(absolute))) ?? [];
  }

  async #entriesOrNone({ path, absolute }: FoundEntry): Promise<FoundEntry[]> {
    try {
      return await this.entries(path, absolute);
    } catch (error) {
      if (MemoryError.isInstance(error) && (isForbidden(error) || error.code === "ENOENT")) return [];
      throw error;
    }
  }

  /** Null too where the file system knows the file by another spelling of the name only. */
  async #statsOf(parent: string, name: string): Promise<Stats | null> {
    const stats = await ioOrNull(lstat(join(parent, name)), { inFolder: parent === this.root });
    if (stats === null || !(await this.#isFolding())) return stats;
    return (await this.namesIn(parent)).includes(name) ? stats : null;
  }

  /** Whether the file system may take two spellings for one name. Linux is asked, as it mounts all kinds. */
  async #isFolding(): Promise<boolean> {
    if (this.#foldsNames !== undefined) return this.#foldsNames;
    if (process.platform !== "linux") return (this.#foldsNames = true);
    const names = await this.namesIn(this.root);
    const telling = names.find((name) => /^[\x20-\x7e]*[a-z][\x20-\x7e]*$/i.test(name) && !names.includes(otherCase(name)));
    if (telling === undefined) return true;
    return (this.#foldsNames = (await ioOrNull(lstat(join(this.root, otherCase(telling))))) !== null);
  }
}

function otherCase(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
}

/**
 * The text of a file, a byte order mark included; null where it is gone by now. The error is returned, not thrown, where
 * only this file cannot be read, so that others still can.
 */
export async function textOfFile({ absolute, stats }: { absolute: string; stats: Stats }): Promise<string | MemoryError | null> {
  if (stats.size > maxReadableBytes) {
    return new MemoryError("EFBIG", `EFBIG: the file has ${stats.size} bytes; over ${maxReadableBytes} none is read`);
  }
  try {
    const bytes = await ioOrNull(readFile(absolute, { flag: readFlags }));
    if (bytes === null) return null;
    return isUtf8(bytes) ? bytes.toString() : new MemoryError("EIO", "EIO: the file is not UTF-8 text");
  } catch (error) {
    if (MemoryError.isInstance(error) && isForbidden(error)) return error;
    throw error;
  }
}

/** Runs a task on each item, a few at once; the outcomes keep their order. */
export async function inParallel<T, U>(items: readonly T[], task: (item: T) => Promise<U>): Promise<U[]> {
  const outcomes: U[] = [];
  for (let start = 0; start < items.length; start += maxParallel) {
    outcomes.push(...(await Promise.all(items.slice(start, start + maxParallel).map(task))));
  }
  return outcomes;
}
