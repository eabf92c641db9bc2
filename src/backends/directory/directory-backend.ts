import { lstat, realpath, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryBackend } from "../../core/contract/backend.js";
import { type Change, type ChangeOptions, type ChangeResult, noResult } from "../../core/tree/change.js";
import {
  alreadyExists,
  fileNotFound,
  fileTooLarge,
  MemoryError,
  parentIsFile,
  pathIsDirectory,
  withPath,
} from "../../core/values/errors.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../../core/memory.js";
import type { CallContext } from "../../core/runtime/call.js";
import { normalizePath, ROOT, segmentsOf } from "../../core/values/paths.js";
import { appendText, replaceText, utf8Bytes } from "../../core/values/text.js";
import { type FileSystemTraits, Folder, type FoundFile, type Located } from "./folder.js";
import { type Hold, withFolderLock } from "./folder-lock.js";
import { io, ioOrNull, isForbidden } from "./fs-errors.js";
import { inParallel } from "./in-parallel.js";
import { currentTextOf } from "./known-texts.js";
import { assertCreatable, workFolder } from "./names.js";
import { textOfFile } from "./read-file.js";
import { type Modes, modesFor, type Rights } from "./rights.js";
import { discard, freshName, makeWorkFolder } from "./work-folder.js";
import { fileStat, move, placeDirectories, placeFile } from "./write-file.js";

export interface DirectorySettings {
  /** Absolute. */
  dir: string;
  maxFileBytes: number;
  lockTimeoutMs: number;
  fsync: boolean;
  rights: Rights;
}

/** What has been found out, once for all calls. */
interface KnownFolder {
  traits: FileSystemTraits;
  /** The folder with its own links resolved, once it is there. */
  root?: string;
}

const anyoneWrites = 0o222;

type FolderChange<T> = (folder: Folder, hold: Hold) => Promise<T>;

/** A memory in a folder, as a backend. */
export function createDirectoryBackend(settings: DirectorySettings): MemoryBackend {
  const known: KnownFolder = { traits: {} };
  const open = (call: CallContext): DirectoryCommands => new DirectoryCommands(settings, known, call);
  return {
    read: (path, call) => open(call).read(path),
    readFiles: (paths, call) => open(call).readFiles(paths),
    list: (path, call) => open(call).list(path),
    stat: (path, call) => open(call).stat(path),
    snapshot: (call) => open(call).snapshot(),
    outline: (options, call) => open(call).outline(options),
    change: (change, options, call) => open(call).change(change, options),
  };
}

/**
 * A memory as ordinary files in a folder. A change waits for the folder's lock and becomes visible by one `rename`.
 * What reads one file or lists one directory takes no lock; what reads many takes it, for they belong to one moment.
 */
class DirectoryCommands {
  readonly #settings: DirectorySettings;
  readonly #known: KnownFolder;
  readonly #call: CallContext;

  constructor(settings: DirectorySettings, known: KnownFolder, call: CallContext) {
    this.#settings = settings;
    this.#known = known;
    this.#call = call;
  }

  read(path: string): Promise<string> {
    return this.#looking(async (folder) => textOfFound(await folder.locate(path)));
  }

  readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const readAll = (folder: Folder): Promise<(string | null)[]> =>
      inParallel(paths, async (path) => {
        const found = await folder.locate(path);
        return found.kind === "file" ? textOfFound(found) : null;
      });
    return paths.length > 1 ? this.#atOneMoment(readAll) : this.#looking(readAll);
  }

  list(path: string): Promise<MemoryEntry[]> {
    return this.#looking((folder) => folder.list(path));
  }

  async change(change: Change, { checkPath }: ChangeOptions): Promise<ChangeResult> {
    const { path } = change;
    switch (change.type) {
      case "append":
        await this.append(path, change.content, change.create);
        return noResult;
      case "write":
        return { ...noResult, file: await this.write(path, change.content, change) };
      case "update":
        return { ...noResult, replaced: await this.replace(path, change.oldContent, change.content) };
      case "edit":
        return { ...noResult, file: await this.edit(path, change.edit) };
      case "delete":
        return { ...noResult, deleted: await this.delete(path, change.ifDirectory, checkPath) };
      case "rename": {
        const { to } = change;
        const checkMoved = (moved: string): void => {
          normalizePath(moved);
          checkPath?.(path + moved.slice(to.length));
          checkPath?.(moved);
        };
        try {
          await this.rename(path, to, checkMoved);
        } catch (error) {
          const namesTarget = MemoryError.isInstance(error) && (error.code === "EEXIST" || error.code === "ENOTDIR");
          throw namesTarget ? withPath(error, to) : error;
        }
        return noResult;
      }
    }
  }

  append(path: string, content: string, create: boolean): Promise<void> {
    return this.#change(path, create, (folder, hold) => this.#append(folder, path, content, { create, hold }));
  }

  replace(path: string, oldContent: string, content: string): Promise<number> {
    return this.#change(path, false, async (folder, hold) => {
      const found = await folder.locate(path);
      const { text, replaced } = replaceText(
        await textOfFound(found),
        oldContent,
        content,
        this.#settings.maxFileBytes,
      );
      if (replaced > 0) await this.#replace(found, text, hold);
      return replaced;
    });
  }

  async delete(
    path: string,
    ifDirectory: "delete" | "fail",
    checkBelow?: (path: string) => void,
  ): Promise<DeletedCounts> {
    if ((await this.#existingRoot()) === null) return { files: 0, dirs: 0 };
    const counts = { files: 0, dirs: 0 };
    return this.#change(path, false, async (folder, hold) => {
      const isDirectory = (ifDirectory === "fail" || checkBelow) && (await folder.locate(path)).kind === "dir";
      if (isDirectory && ifDirectory === "fail") throw pathIsDirectory();
      if (isDirectory && checkBelow) {
        const { files, directories } = await folder.walk(path);
        for (const below of [...files.map((file) => file.path), ...directories]) checkBelow(below);
      }
      if (path !== ROOT) return remove(folder, path, hold);
      // One by one: the folder stays, with what is not part of the memory, such as `.git`.
      for (const { name } of await folder.list(ROOT)) {
        const { files, dirs } = await remove(folder, ROOT + name, hold);
        counts.files += files;
        counts.dirs += dirs;
      }
      return counts;
    });
  }

  write(
    path: string,
    content: string,
    mode: { ifExists: "replace" | "fail"; ifMissing: "create" | "fail" },
  ): Promise<FileStat> {
    const create = mode.ifMissing === "create";
    return this.#change(path, create, async (folder, hold) => {
      const found = await folder.locate(path);
      if (found.kind !== "file") return this.#create(folder, found, content, { create, hold });
      if (mode.ifExists === "fail") throw alreadyExists();
      return this.#replace(found, content, hold);
    });
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#change(path, false, async (folder, hold) => {
      const found = await folder.locate(path);
      return this.#replace(found, change(await textOfFound(found)), hold);
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
      const place = source.kind === "file" ? source : source.place;
      if (place === null) throw fileNotFound();
      const siblings = await folder.namesIn(parent);
      assertCreatable(
        names,
        siblings.filter((name) => join(parent.path, name) !== join(place.parent.path, place.name)),
      );
      if (source.kind === "dir") {
        const { files, directories } = await folder.walk(from);
        for (const path of [...files.map((file) => file.path), ...directories])
          checkMoved(to + path.slice(from.length));
      }
      await placeDirectories(target, hold, this.#modes);
      const made = names.length === 1 ? target : await folder.locate(to);
      if (made.kind !== "missing" || made.names.length !== 1) throw alreadyExists();
      await move(hold, place, { parent: made.parent, name: made.names[0] ?? "" });
    });
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const found = await this.#looking((folder) => folder.locate(path));
    if (found.kind === "file") return fileStat(found.stats);
    if (found.kind !== "dir") return null;
    return this.#atOneMoment(async (folder) => {
      // Looked up again, as it may be gone by the time of the lock.
      if ((await folder.locate(path)).kind !== "dir") return null;
      const { files } = await folder.walk(path);
      return { kind: "dir", sizeBytes: totalFileBytes(files), createdAt: null, updatedAt: null };
    });
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.#atOneMoment(folderSnapshot);
  }

  outline({ maxContentBytes, leadChars }: Required<OutlineOptions>): Promise<MemoryOutline> {
    return this.#atOneMoment(async (folder) => {
      const { files, directories } = await folder.walk(ROOT);
      const withContents = totalFileBytes(files) <= maxContentBytes;
      const readable = withContents || leadChars > 0 ? await readableFiles(folder, files) : [];
      const leads = new Map(
        leadChars > 0 ? readable.map(({ path, content }) => [path, { lead: content.slice(0, leadChars) }]) : [],
      );
      const outlined = withContents
        ? readable.map(({ path, content }) => ({ path, sizeBytes: utf8Bytes(content), content, ...leads.get(path) }))
        : files.map(({ path, stats }) => ({ path, sizeBytes: stats.size, ...leads.get(path) }));
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
    else await this.#replace(found, appendText(await textOfFound(found), content), hold);
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
    return placeFile(found, content, { fsync: this.#settings.fsync, modes: this.#modes, hold });
  }

  async #replace(found: Located, content: string, hold: Hold): Promise<FileStat> {
    if (found.kind !== "file") throw fileNotFound();
    const sizeBytes = utf8Bytes(content);
    if (sizeBytes > this.#settings.maxFileBytes) throw fileTooLarge(sizeBytes, this.#settings.maxFileBytes);
    // The file system lets a file be replaced that nobody may write. Whoever made it read-only wants it to stay.
    if ((found.stats.mode & anyoneWrites) === 0) throw new MemoryError("EIO", "EIO: the file is read-only");
    const destination = { parent: found.parent, names: [found.name] };
    return placeFile(destination, content, {
      fsync: this.#settings.fsync,
      modes: this.#modes,
      replaced: found.stats,
      hold,
    });
  }

  /** @param create whether the command may make the memory's folder */
  async #change<T>(path: string, create: boolean, change: FolderChange<T>): Promise<T> {
    if ((await this.#existingRoot()) === null) {
      if (path === ROOT) throw pathIsDirectory();
      if (!create) throw fileNotFound();
      assertCreatable(segmentsOf(path), []);
      await makeWorkFolder(this.#settings.dir, this.#modes);
    }
    return this.#locked(change);
  }

  /** Reads several files as they are between two changes. */
  async #atOneMoment<T>(read: (folder: Folder) => Promise<T>): Promise<T> {
    const root = (await this.#existingRoot()) ?? this.#settings.dir;
    const isUntouched = async (): Promise<boolean> => (await ioOrNull(lstat(join(root, workFolder)))) === null;
    // A folder that no memory has changed has no work folder for a lock. Reading does not make one.
    if (await isUntouched()) {
      const seen = await this.#looking(read);
      if (await isUntouched()) return seen;
    }
    try {
      return await this.#locked(async (folder, hold) => {
        const seen = await read(folder);
        hold.assertHeld();
        return seen;
      });
    } catch (error) {
      // Without the right to write there is no lock, and no other process of this user changes what is read.
      if (MemoryError.isInstance(error) && (isForbidden(error) || error.code === "ENOSPC")) return this.#looking(read);
      throw error;
    }
  }

  async #locked<T>(change: FolderChange<T>): Promise<T> {
    const root = (await this.#existingRoot()) ?? this.#settings.dir;
    const settings = { timeoutMs: this.#settings.lockTimeoutMs, modes: this.#modes, call: this.#call };
    return withFolderLock(root, settings, (hold) => this.#looking((folder) => change(folder, hold)));
  }

  /** Runs a task on the folder, which reads as an empty one where it is missing. */
  async #looking<T>(task: (folder: Folder) => Promise<T>): Promise<T> {
    const folder = new Folder((await this.#existingRoot()) ?? this.#settings.dir, this.#known.traits, this.#call);
    try {
      return await task(folder);
    } finally {
      folder.close();
    }
  }

  async #existingRoot(): Promise<string | null> {
    if (this.#known.root !== undefined) return this.#known.root;
    const root = await ioOrNull(realpath(this.#settings.dir));
    if (root === null) return null;
    if (!(await io(lstat(root))).isDirectory())
      throw new MemoryError("EIO", "EIO: the memory's folder is not a folder");
    return (this.#known.root ??= root);
  }

  get #modes(): Modes {
    return modesFor[this.#settings.rights];
  }
}

/** @throws ENOENT, EISDIR, EIO for what is no text */
async function textOfFound(found: Located): Promise<string> {
  if (found.kind === "dir") throw pathIsDirectory();
  if (found.kind !== "file") throw fileNotFound();
  const text = await textOfFile(found, found.stats);
  if (typeof text === "string") return text;
  throw text ?? fileNotFound();
}

async function folderSnapshot(folder: Folder): Promise<MemorySnapshot> {
  const { files, directories } = await folder.walk(ROOT);
  const withTexts = await readableFiles(folder, files);
  return {
    files: withTexts.map(({ path, stats, content }) => ({
      path,
      content,
      ...fileStat(stats),
      sizeBytes: utf8Bytes(content),
    })),
    directories,
    revision: null,
  };
}

/** The files that are text. One that is not must not keep the others from being read. */
async function readableFiles(
  folder: Folder,
  files: readonly FoundFile[],
): Promise<(FoundFile & { content: string })[]> {
  const texts = await folder.eachIn(files, ({ name, stats }, parent) => currentTextOf({ parent, name }, stats));
  return files.flatMap((file, index) => {
    const content = texts[index];
    return typeof content === "string" ? [{ ...file, content }] : [];
  });
}

async function remove(folder: Folder, path: string, hold: Hold): Promise<DeletedCounts> {
  const found = await folder.locate(path);
  if (found.kind === "file") {
    await found.parent.check();
    hold.assertHeld();
    await io(unlink(found.parent.pathTo(found.name)));
    await found.parent.check();
    return { files: 1, dirs: 0 };
  }
  if (found.kind !== "dir" || found.place === null) return { files: 0, dirs: 0 };
  const { files, directories } = await folder.walk(path);
  const old = freshName("old");
  await move(hold, found.place, { parent: hold.work, name: old });
  await discard(hold.work, old);
  return { files: files.length, dirs: directories.length + 1 };
}

function totalFileBytes(files: readonly FoundFile[]): number {
  return files.reduce((sum, { stats }) => sum + stats.size, 0);
}
