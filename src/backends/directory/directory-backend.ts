import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryBackend } from "../../core/contract/backend.js";
import { applyChange } from "../../core/tree/apply-change.js";
import type { Change, ChangeOptions, ChangeResult } from "../../core/tree/change.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { MemoryError } from "../../core/values/errors.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../core/memory.js";
import type { CallContext } from "../../core/runtime/call.js";
import { ROOT, splitPath } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { type FileSystemTraits, Folder, type FoundFile } from "./folder.js";
import { FolderChange } from "./folder-change.js";
import { type Hold, withFolderLock } from "./folder-lock.js";
import { io, ioOrNull, isForbidden } from "./fs-errors.js";
import { readableFiles, readText } from "./located-texts.js";
import { assertCreatable, workFolder } from "./names.js";
import { type Modes, modesFor, type Rights } from "./rights.js";
import { makeWorkFolder } from "./work-folder.js";
import { fileStat } from "./write-file.js";

export interface DirectorySettings {
  /** Absolute. */
  dir: string;
  maxFileBytes: number;
  lockTimeoutMs: number;
  rights: Rights;
}

/**
 * A memory as ordinary files in a folder. A change waits for the folder's lock, and becomes visible by one `rename`. A
 * read of one file and a listing take no lock. A read of several files takes the lock, because they belong to one
 * moment.
 */
export class DirectoryBackend implements MemoryBackend {
  readonly #settings: DirectorySettings;
  readonly #traits: FileSystemTraits = {};
  /** The folder with its own links resolved. Null until it exists. */
  #root: string | null = null;

  constructor(settings: DirectorySettings) {
    this.#settings = settings;
  }

  read(path: string, call: CallContext): Promise<string> {
    return this.#inFolder(call, async (folder) => readText(await folder.locate(path)));
  }

  list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return this.#inFolder(call, (folder) => folder.list(path));
  }

  async change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult> {
    const { maxFileBytes } = this.#settings;
    if ((await this.#findRoot()) === null) {
      const empty = new MemoryTree();
      const { edits, result } = applyChange(empty, change, { now: new Date(), maxFileBytes }, options);
      if (edits.files.length === 0) return result;
      assertCreatable(splitPath(change.path), []);
      await makeWorkFolder(this.#settings.dir, this.#modes);
    }
    const folderChange = new FolderChange(change, options, { maxFileBytes, modes: this.#modes });
    return this.#locked(call, (folder, hold) => folderChange.make(folder, hold));
  }

  async stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    const found = await this.#inFolder(call, (folder) => folder.locate(path));
    if (found.kind === "file") return fileStat(found.stats);
    if (found.kind !== "dir") return null;
    return this.#atOneMoment(call, async (folder) => {
      // The path is looked up again, because the directory may be gone when the lock is taken.
      if ((await folder.locate(path)).kind !== "dir") return null;
      const { files } = await folder.walk(path);
      return { kind: "dir", sizeBytes: totalFileBytes(files), createdAt: null, updatedAt: null };
    });
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#atOneMoment(call, folderSnapshot);
  }

  outline({ maxContentBytes, leadChars }: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#atOneMoment(call, async (folder) => {
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

  /** Reads several files in the state between two changes. */
  async #atOneMoment<T>(call: CallContext, read: (folder: Folder) => Promise<T>): Promise<T> {
    const root = (await this.#findRoot()) ?? this.#settings.dir;
    const isUntouched = async (): Promise<boolean> => (await ioOrNull(lstat(join(root, workFolder)))) === null;
    // A folder that no memory has changed has no work folder, and so no lock. A read does not create it.
    if (await isUntouched()) {
      const seen = await this.#inFolder(call, read);
      if (await isUntouched()) return seen;
    }
    try {
      return await this.#locked(call, async (folder, hold) => {
        const seen = await read(folder);
        hold.assertHeld();
        return seen;
      });
    } catch (error) {
      // Without the right to write, the lock cannot be taken, but no process of this user can change the files either.
      if (MemoryError.isInstance(error) && (isForbidden(error) || error.code === "ENOSPC"))
        return this.#inFolder(call, read);
      throw error;
    }
  }

  async #locked<T>(call: CallContext, task: (folder: Folder, hold: Hold) => Promise<T>): Promise<T> {
    const root = (await this.#findRoot()) ?? this.#settings.dir;
    const settings = { timeoutMs: this.#settings.lockTimeoutMs, modes: this.#modes, call };
    return withFolderLock(root, settings, (hold) => this.#inFolder(call, (folder) => task(folder, hold)));
  }

  /** Runs a task on the folder. A missing folder counts as empty. */
  async #inFolder<T>(call: CallContext, task: (folder: Folder) => Promise<T>): Promise<T> {
    const folder = new Folder((await this.#findRoot()) ?? this.#settings.dir, this.#traits, call);
    try {
      return await task(folder);
    } finally {
      folder.close();
    }
  }

  async #findRoot(): Promise<string | null> {
    if (this.#root !== null) return this.#root;
    const root = await ioOrNull(realpath(this.#settings.dir));
    if (root === null) return null;
    if (!(await io(lstat(root))).isDirectory())
      throw new MemoryError("EIO", "EIO: the memory's folder is not a folder");
    return (this.#root ??= root);
  }

  get #modes(): Modes {
    return modesFor[this.#settings.rights];
  }
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

function totalFileBytes(files: readonly FoundFile[]): number {
  return files.reduce((sum, { stats }) => sum + stats.size, 0);
}
