import { lstat, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { MemoryBackend, WriteMode } from "../../core/backend.js";
import {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  MemoryError,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../../core/errors.js";
import type { DeletedCounts, FileStat, MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat } from "../../core/memory.js";
import { ROOT, segmentsOf } from "../../core/paths.js";
import { appendText, replaceText, utf8Bytes } from "../../core/text.js";
import { Folder, type FoundFile, inParallel, type Located, textOfFile } from "./folder.js";
import { type Hold, withFolderLock } from "./folder-lock.js";
import { io, ioOrNull, isForbidden } from "./fs-errors.js";
import { assertCreatable, workFolder } from "./names.js";
import { discard, freshPath, makeWorkFolder } from "./work-folder.js";
import { fileStat, placeDirectories, placeFile } from "./write-file.js";

export interface DirectorySettings {
  /** Absolute. */
  dir: string;
  maxFileBytes: number;
  lockTimeoutMs: number;
  fsync: boolean;
}

const anyoneWrites = 0o222;

type Change<T> = (folder: Folder, hold: Hold) => Promise<T>;

/**
 * A memory as ordinary files in a folder. A change waits for the folder's lock and becomes visible by one `rename`. What
 * reads one file or lists one directory takes no lock; what reads many takes it, for they belong to one moment.
 */
export class DirectoryBackend implements MemoryBackend {
  readonly #settings: DirectorySettings;
  #opened: Folder | undefined;

  constructor(settings: DirectorySettings) {
    this.#settings = settings;
  }

  async read(path: string): Promise<string> {
    return textOfFound(await (await this.#folder()).locate(path));
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const readAll = (folder: Folder): Promise<(string | null)[]> =>
      inParallel(paths, async (path) => {
        const found = await folder.locate(path);
        return found.kind === "file" ? textOfFound(found) : null;
      });
    return paths.length > 1 ? this.#atOneMoment(readAll) : readAll(await this.#folder());
  }

  async list(path: string): Promise<MemoryEntry[]> {
    const folder = await this.#folder();
    const found = await folder.locate(path);
    if (found.kind === "file") throw pathIsFile();
    if (found.kind !== "dir") throw directoryNotFound();
    const entries = await folder.entries(path, found.absolute);
    return entries.map(({ name, kind }) => ({ name, kind }));
  }

  append(path: string, content: string, create: boolean): Promise<void> {
    return this.#change(path, create, (folder, hold) => this.#append(folder, path, content, { create, hold }));
  }

  snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    return this.#change(path, create, async (folder, hold) => {
      const snapshot = await folderSnapshot(folder);
      await this.#append(folder, path, content, { create, hold });
      return snapshot;
    });
  }

  replace(path: string, oldContent: string, content: string): Promise<number> {
    return this.#change(path, false, async (folder, hold) => {
      const found = await folder.locate(path);
      const { text, replaced } = replaceText(await textOfFound(found), oldContent, content, this.#settings.maxFileBytes);
      if (replaced > 0) await this.#replace(folder, found, text, hold);
      return replaced;
    });
  }

  async delete(path: string, ifDirectory: "delete" | "fail"): Promise<DeletedCounts> {
    if ((await this.#existing()) === null) return { files: 0, dirs: 0 };
    const counts = { files: 0, dirs: 0 };
    return this.#change(path, false, async (folder, hold) => {
      if (ifDirectory === "fail" && (await folder.locate(path)).kind === "dir") throw pathIsDirectory();
      if (path !== ROOT) return remove(folder, path, hold);
      // One by one: the folder stays, with what is not part of the memory, such as `.git`.
      for (const entry of await folder.entries(ROOT, folder.root)) {
        const { files, dirs } = await remove(folder, entry.path, hold);
        counts.files += files;
        counts.dirs += dirs;
      }
      return counts;
    });
  }

  write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    const create = mode.ifMissing === "create";
    return this.#change(path, create, async (folder, hold) => {
      const found = await folder.locate(path);
      if (found.kind !== "file") return this.#create(folder, found, content, { create, hold });
      if (mode.ifExists === "fail") throw alreadyExists();
      return this.#replace(folder, found, content, hold);
    });
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#change(path, false, async (folder, hold) => {
      const found = await folder.locate(path);
      return this.#replace(folder, found, change(await textOfFound(found)), hold);
    });
  }

  rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    return this.#change(from, false, async (folder, hold) => {
      const source = await folder.locate(from);
      if (source.kind !== "file" && source.kind !== "dir") throw fileNotFound();
      const target = await folder.locate(to);
      if (target.kind === "belowFile") throw parentIsFile();
      if (target.kind !== "missing") throw alreadyExists();
      const { parent, names } = target;
      const siblings = await folder.namesIn(parent);
      assertCreatable(names, siblings.filter((name) => join(parent, name) !== source.absolute));
      if (source.kind === "dir") {
        const { files, directories } = await folder.walk(from, source.absolute);
        for (const path of [...files.map((file) => file.path), ...directories]) checkMoved(to + path.slice(from.length));
      }
      await placeDirectories(target, folder.root, hold);
      hold.assertHeld();
      await io(rename(source.absolute, join(parent, ...names)));
    });
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const found = await (await this.#folder()).locate(path);
    if (found.kind === "file") return fileStat(found.stats);
    if (found.kind !== "dir") return null;
    return this.#atOneMoment(async (folder) => {
      // Looked up again, as it may be gone by the time of the lock.
      if ((await folder.locate(path)).kind !== "dir") return null;
      const { files } = await folder.walk(path, found.absolute);
      return { kind: "dir", sizeBytes: totalFileBytes(files), createdAt: null, updatedAt: null };
    });
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.#atOneMoment(folderSnapshot);
  }

  outline(maxContentBytes: number): Promise<MemoryOutline> {
    return this.#atOneMoment(async (folder) => {
      const { files, directories } = await folder.walk(ROOT, folder.root);
      const outlined =
        totalFileBytes(files) <= maxContentBytes
          ? (await readableFiles(files)).map(({ path, content }) => ({ path, sizeBytes: utf8Bytes(content), content }))
          : files.map(({ path, stats }) => ({ path, sizeBytes: stats.size }));
      return { files: outlined, directories, revision: null };
    });
  }

  async #append(
    folder: Folder,
    path: string,
    content: string,
    { create, hold }: { create: boolean; hold: Hold },
  ): Promise<void> {
    const found = await folder.locate(path);
    if (found.kind !== "file") await this.#create(folder, found, content, { create, hold });
    else await this.#replace(folder, found, appendText(await textOfFound(found), content), hold);
  }

  async #create(
    folder: Folder,
    found: Located,
    content: string,
    { create, hold }: { create: boolean; hold: Hold },
  ): Promise<FileStat> {
    if (found.kind === "dir") throw pathIsDirectory();
    if (!create) throw fileNotFound();
    if (found.kind !== "missing") throw parentIsFile();
    assertCreatable(found.names, await folder.namesIn(found.parent));
    return placeFile(found, content, { root: folder.root, fsync: this.#settings.fsync, hold });
  }

  async #replace(folder: Folder, found: Located, content: string, hold: Hold): Promise<FileStat> {
    if (found.kind !== "file") throw fileNotFound();
    const sizeBytes = utf8Bytes(content);
    if (sizeBytes > this.#settings.maxFileBytes) throw fileTooLarge(sizeBytes, this.#settings.maxFileBytes);
    // The file system lets a file be replaced that nobody may write. Whoever made it read-only wants it to stay.
    if ((found.stats.mode & anyoneWrites) === 0) throw new MemoryError("EIO", "EIO: the file is read-only");
    const destination = { parent: dirname(found.absolute), names: [basename(found.absolute)] };
    return placeFile(destination, content, { root: folder.root, fsync: this.#settings.fsync, replaced: found.stats, hold });
  }

  /** @param create whether the command may make the memory's folder */
  async #change<T>(path: string, create: boolean, change: Change<T>): Promise<T> {
    if ((await this.#existing()) === null) {
      if (path === ROOT) throw pathIsDirectory();
      if (!create) throw fileNotFound();
      assertCreatable(segmentsOf(path), []);
      await makeWorkFolder(this.#settings.dir);
    }
    const folder = await this.#folder();
    return withFolderLock(folder.root, this.#settings.lockTimeoutMs, (hold) => change(folder, hold));
  }

  /** Reads several files as they are between two changes. */
  async #atOneMoment<T>(read: (folder: Folder) => Promise<T>): Promise<T> {
    const folder = await this.#folder();
    const isUntouched = async (): Promise<boolean> => (await ioOrNull(lstat(join(folder.root, workFolder)))) === null;
    // A folder that no memory has changed has no work folder for a lock. Reading does not make one.
    if (await isUntouched()) {
      const seen = await read(folder);
      if (await isUntouched()) return seen;
    }
    const readLocked = async (hold: Hold): Promise<T> => {
      const seen = await read(folder);
      hold.assertHeld();
      return seen;
    };
    try {
      return await withFolderLock(folder.root, this.#settings.lockTimeoutMs, readLocked);
    } catch (error) {
      // Without the right to write there is no lock, and no other process of this user changes what is read.
      if (MemoryError.isInstance(error) && (isForbidden(error) || error.code === "ENOSPC")) return read(folder);
      throw error;
    }
  }

  /** The folder, which reads as an empty one where it is missing. */
  async #folder(): Promise<Folder> {
    return (await this.#existing()) ?? new Folder(this.#settings.dir);
  }

  async #existing(): Promise<Folder | null> {
    if (this.#opened !== undefined) return this.#opened;
    const root = await ioOrNull(realpath(this.#settings.dir));
    if (root === null) return null;
    if (!(await io(lstat(root))).isDirectory()) throw new MemoryError("EIO", "EIO: the memory's folder is not a folder");
    return (this.#opened ??= new Folder(root));
  }
}

/** @throws ENOENT, EISDIR, EIO for what is no text */
async function textOfFound(found: Located): Promise<string> {
  if (found.kind === "dir") throw pathIsDirectory();
  if (found.kind !== "file") throw fileNotFound();
  const text = await textOfFile(found);
  if (typeof text === "string") return text;
  throw text ?? fileNotFound();
}

async function folderSnapshot(folder: Folder): Promise<MemorySnapshot> {
  const { files, directories } = await folder.walk(ROOT, folder.root);
  const withTexts = await readableFiles(files);
  return {
    files: withTexts.map(({ path, stats, content }) => ({ path, content, ...fileStat(stats), sizeBytes: utf8Bytes(content) })),
    directories,
    revision: null,
  };
}

/** The files that are text. One that is not must not keep the others from being read. */
async function readableFiles(files: readonly FoundFile[]): Promise<(FoundFile & { content: string })[]> {
  const texts = await inParallel(files, async (file) => ({ ...file, content: await textOfFile(file) }));
  return texts.flatMap(({ content, ...file }) => (typeof content === "string" ? [{ ...file, content }] : []));
}

async function remove(folder: Folder, path: string, hold: Hold): Promise<DeletedCounts> {
  const found = await folder.locate(path);
  if (found.kind === "file") {
    hold.assertHeld();
    await io(unlink(found.absolute));
    return { files: 1, dirs: 0 };
  }
  if (found.kind !== "dir") return { files: 0, dirs: 0 };
  const { files, directories } = await folder.walk(path, found.absolute);
  const old = freshPath(folder.root, "old");
  hold.assertHeld();
  await io(rename(found.absolute, old));
  await discard(old);
  return { files: files.length, dirs: directories.length + 1 };
}

function totalFileBytes(files: readonly FoundFile[]): number {
  return files.reduce((sum, { stats }) => sum + stats.size, 0);
}
