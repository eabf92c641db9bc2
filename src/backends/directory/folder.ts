import { isUtf8 } from "node:buffer";
import { type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryNotFound, MemoryError, type MemoryErrorCode, pathIsFile } from "../../core/values/errors.js";
import type { MemoryEntry } from "../../core/memory.js";
import type { CallContext } from "../../core/runtime/call.js";
import { ROOT, splitPath } from "../../core/values/paths.js";
import { ioOrNull, isForbidden, linkInTheWay, notAFile } from "./fs-errors.js";
import { inParallel } from "./in-parallel.js";
import { isReserved, pathOfChild, reservedName } from "./names.js";
import { OpenDirectory } from "./open-directory.js";
import { readDirectory } from "./read-directory.js";

/** A name in a directory. */
export interface Place {
  parent: OpenDirectory;
  name: string;
}

/** The target of a path. `missing`: `names` are the missing segments below the existing directory `parent`. */
export type Located =
  | ({ kind: "file"; stats: Stats } & Place)
  | { kind: "dir"; place: Place | null }
  | { kind: "missing"; parent: OpenDirectory; names: string[] }
  | { kind: "belowFile" };

export interface FoundFile {
  path: string;
  /** The path of its directory. */
  directory: string;
  name: string;
  stats: Stats;
}

/** Known facts about a file system. All calls share one object. */
export interface FileSystemTraits {
  foldsNames?: boolean;
}

/** A real folder during one call. Links in it are not followed. */
export class Folder {
  /** Absolute, with its own links resolved. */
  readonly root: string;
  readonly #traits: FileSystemTraits;
  readonly #call: CallContext | undefined;
  readonly #rootDirectory: OpenDirectory;
  readonly #opened: OpenDirectory[] = [];

  constructor(root: string, traits: FileSystemTraits, call: CallContext | undefined) {
    this.root = root;
    this.#traits = traits;
    this.#call = call;
    this.#rootDirectory = OpenDirectory.root(root);
  }

  /** Closes the directories that `locate` opened. */
  close(): void {
    for (const directory of this.#opened.splice(0)) directory.close();
  }

  /** @throws EINVAL if the path contains or leads to a link, a special file or a reserved name */
  async locate(path: string): Promise<Located> {
    const names = splitPath(path);
    if (names.length > 1) {
      const parent = await this.#openInOneStep(names.slice(0, -1));
      if (parent !== null) return this.#locateBelow(this.#closeLater(parent), names, names.length - 1);
    }
    return this.#locateBelow(this.#rootDirectory, names, 0);
  }

  /** Leaves out links, special files, and names that no path can contain. @throws ENOENT */
  async list(path: string): Promise<MemoryEntry[]> {
    return this.#useDirectory(path, (directory) => this.#entries(path, directory));
  }

  /**
   * Finds everything below a directory, except entries that vanish meanwhile and directories without read permission.
   */
  async walk(path: string): Promise<{ files: FoundFile[]; directories: string[] }> {
    const files: FoundFile[] = [];
    const directories: string[] = [];
    for (let level = [path]; level.length > 0;) {
      const found = await inParallel(level, (one) =>
        one === path ? this.#children(one) : ignoreMissing(this.#children(one)),
      );
      files.push(...found.flatMap((children) => children.files));
      level = found.flatMap((children) => children.directories);
      directories.push(...level);
    }
    return { files, directories };
  }

  /** Runs a task for each file while its directory is open. The outcomes are in the order of the files. */
  async eachIn<T>(
    files: readonly FoundFile[],
    task: (file: FoundFile, directory: OpenDirectory) => Promise<T>,
  ): Promise<(T | null)[]> {
    const byDirectory = new Map<string, FoundFile[]>();
    for (const file of files) {
      const group = byDirectory.get(file.directory);
      if (group === undefined) byDirectory.set(file.directory, [file]);
      else group.push(file);
    }
    const outcomes = new Map<FoundFile, T>();
    await inParallel([...byDirectory], async ([path, group]) => {
      const run = this.#useDirectory(path, (directory) =>
        inParallel(group, async (file) => {
          this.#call?.throwIfAborted();
          outcomes.set(file, await task(file, directory));
        }),
      );
      await ignoreMissing(run.then(() => noChildren));
    });
    return files.map((file) => outcomes.get(file) ?? null);
  }

  /** Returns the names in a directory, in their stored spelling. Empty if the directory is missing. */
  async namesIn(directory: OpenDirectory): Promise<string[]> {
    return (await ioOrNull(readdir(directory.base))) ?? [];
  }

  async #locateBelow(start: OpenDirectory, names: string[], from: number): Promise<Located> {
    let parent = start;
    for (let index = from; ; index += 1) {
      const name = names[index];
      if (name === undefined) return { kind: "dir", place: null };
      if (isReserved(name)) throw reservedName(name);
      const stats = await this.#readStats(parent, name);
      const isLast = index === names.length - 1;
      if (stats === null) return { kind: "missing", parent, names: names.slice(index) };
      if (stats.isSymbolicLink()) throw linkInTheWay();
      if (stats.isDirectory()) {
        if (isLast) return { kind: "dir", place: { parent, name } };
        const child = await parent.openChild(name);
        // `lstat` found a directory a moment ago, so something has replaced it.
        if (child === null) throw linkInTheWay();
        parent = this.#closeLater(child);
      } else {
        if (!stats.isFile()) throw notAFile();
        return isLast ? { kind: "file", parent, name, stats } : { kind: "belowFile" };
      }
    }
  }

  /**
   * Returns null if the names must be checked one by one: the file system may fold names, or one is not a directory.
   */
  async #openInOneStep(names: readonly string[]): Promise<OpenDirectory | null> {
    if (names.some(isReserved) || (await this.#isFolding())) return null;
    const [first = "", ...others] = names;
    return others.length === 0
      ? this.#rootDirectory.openChild(first)
      : OpenDirectory.inOneStep(join(this.root, ...names));
  }

  #closeLater(directory: OpenDirectory): OpenDirectory {
    this.#opened.push(directory);
    return directory;
  }

  /** @throws ENOENT */
  async #useDirectory<T>(path: string, run: (directory: OpenDirectory) => Promise<T>): Promise<T> {
    this.#call?.throwIfAborted();
    if (path === ROOT) return run(this.#rootDirectory);
    const directory = (await this.#openInOneStep(splitPath(path))) ?? (await this.#openByName(path));
    try {
      await directory.check();
      const outcome = await run(directory);
      await directory.check();
      return outcome;
    } finally {
      directory.close();
    }
  }

  async #openByName(path: string): Promise<OpenDirectory> {
    const found = await this.locate(path);
    if (found.kind === "file") throw pathIsFile();
    const directory = found.kind === "dir" ? await found.place?.parent.openChild(found.place.name) : null;
    if (directory === null || directory === undefined) throw directoryNotFound();
    return directory;
  }

  async #entries(path: string, directory: OpenDirectory): Promise<MemoryEntry[]> {
    const found = await ioOrNull(readDirectory(directory), { inFolder: path === ROOT });
    if (found === null) {
      if (path === ROOT) return [];
      throw directoryNotFound();
    }
    const entries: MemoryEntry[] = [];
    for (const { name: bytes, kind } of found) {
      if ((kind !== "file" && kind !== "dir") || !isUtf8(bytes)) continue;
      const name = bytes.toString();
      if (pathOfChild(path, name) !== null) entries.push({ name, kind });
    }
    return entries;
  }

  async #children(path: string): Promise<Children> {
    return this.#useDirectory(path, async (directory) => {
      const entries = await this.#entries(path, directory);
      const getChildPath = (name: string): string => pathOfChild(path, name) ?? "";
      const files = await inParallel(
        entries.filter(({ kind }) => kind === "file"),
        async ({ name }) => {
          const stats = await ioOrNull(lstat(directory.pathTo(name)));
          return stats?.isFile() === true ? { path: getChildPath(name), directory: path, name, stats } : null;
        },
      );
      return {
        files: files.filter((file) => file !== null),
        directories: entries.filter(({ kind }) => kind === "dir").map(({ name }) => getChildPath(name)),
      };
    });
  }

  /** Returns null also if the file system has the file only under another spelling. */
  async #readStats(parent: OpenDirectory, name: string): Promise<Stats | null> {
    await parent.check();
    const stats = await ioOrNull(lstat(parent.pathTo(name)), { inFolder: parent === this.#rootDirectory });
    await parent.check();
    if (stats === null || !(await this.#isFolding())) return stats;
    return (await this.namesIn(parent)).includes(name) ? stats : null;
  }

  /** Whether two spellings can be one name. Linux mounts all kinds of file systems, so this is tried out there. */
  async #isFolding(): Promise<boolean> {
    if (this.#traits.foldsNames !== undefined) return this.#traits.foldsNames;
    if (process.platform !== "linux") return (this.#traits.foldsNames = true);
    const names = await this.namesIn(this.#rootDirectory);
    const nameWithCase = names.find(
      (name) => /^[\x20-\x7e]*[a-z][\x20-\x7e]*$/i.test(name) && !names.includes(otherCase(name)),
    );
    if (nameWithCase === undefined) return true;
    return (this.#traits.foldsNames = (await ioOrNull(lstat(join(this.root, otherCase(nameWithCase))))) !== null);
  }
}

interface Children {
  files: FoundFile[];
  directories: string[];
}

const noChildren: Children = { files: [], directories: [] };

/** Error codes for a directory that has vanished, or whose name something else has taken. */
const missingCodes = new Set<MemoryErrorCode>(["ENOENT", "ENOTDIR", "EINVAL"]);

async function ignoreMissing(children: Promise<Children>): Promise<Children> {
  try {
    return await children;
  } catch (error) {
    if (MemoryError.isInstance(error) && (isForbidden(error) || missingCodes.has(error.code))) return noChildren;
    throw error;
  }
}

function otherCase(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
}
