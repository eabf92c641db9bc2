import type { Stats } from "node:fs";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { applyChange } from "../../core/tree/apply-change.js";
import {
  type Change,
  type ChangeOptions,
  type ChangeResult,
  type ChangeScope,
  getScope,
} from "../../core/tree/change.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import type { DeletedCounts, FileStat, SnapshotFile } from "../../core/tree/snapshot.js";
import { withPath } from "../../core/values/error-paths.js";
import { alreadyExists, fileNotFound, MemoryError } from "../../core/values/errors.js";
import { getParent, ROOT } from "../../core/values/paths.js";
import type { Folder, FoundFile, Located } from "./folder.js";
import type { Hold } from "./folder-lock.js";
import { io } from "./fs-errors.js";
import { readableFiles, readText } from "./located-texts.js";
import { assertCreatable } from "./names.js";
import { discard, freshName } from "./work-folder.js";
import { fileStat, move, placeDirectories, placeFile, type WriteSettings } from "./write-file.js";

export interface FolderChangeSettings extends WriteSettings {
  maxFileBytes: number;
}

/** The part of a memory that a change is made to. */
interface LoadedScope {
  tree: MemoryTree;
  /** The located file or directory of each path of the scope. The root is replaced by its entries. */
  located: ReadonlyMap<string, Located>;
}

const anyoneWrites = 0o222;

/** A change of a memory in a folder. `applyChange` decides what it does. */
export class FolderChange {
  readonly #change: Change;
  readonly #options: ChangeOptions;
  readonly #settings: FolderChangeSettings;
  readonly #deleted: DeletedCounts = { files: 0, dirs: 0 };

  constructor(change: Change, options: ChangeOptions, settings: FolderChangeSettings) {
    this.#change = change;
    this.#options = options;
    this.#settings = settings;
  }

  /** Makes the change under the lock. Can be called again if the lock was lost before everything was deleted. */
  async make(folder: Folder, hold: Hold): Promise<ChangeResult> {
    const change = this.#change;
    const hasBegun = this.#deleted.files + this.#deleted.dirs > 0;
    const options = hasBegun ? { ...this.#options, expectedDigest: undefined } : this.#options;
    const { tree, located } = await loadScope(folder, change, options);
    const settings = { now: new Date(), maxFileBytes: this.#settings.maxFileBytes };
    const { edits, result } = applyChange(tree, change, settings, options);
    const [file] = edits.files;
    if (file !== undefined) {
      return { ...result, file: await this.#put(folder, located.get(file.path), file.content, hold) };
    }
    if (change.type === "rename") {
      await this.#move(folder, located.get(change.path), change.to, hold);
      return result;
    }
    if (change.type !== "delete") return result;
    for (const [path, found] of change.keeps === undefined ? located : await locateAll(folder, edits.removed)) {
      await remove(found, hold);
      this.#count(tree, path);
    }
    return { ...result, deleted: this.#deleted };
  }

  async #put(folder: Folder, found: Located | undefined, content: string, hold: Hold): Promise<FileStat> {
    const settings = { ...this.#settings, hold };
    if (found?.kind === "missing") {
      assertCreatable(found.names, await folder.namesIn(found.parent));
      return placeFile(found, content, settings);
    }
    if (found?.kind !== "file") throw fileNotFound();
    assertWritable(found.stats);
    return placeFile({ parent: found.parent, names: [found.name] }, content, { ...settings, replaced: found.stats });
  }

  async #move(folder: Folder, source: Located | undefined, to: string, hold: Hold): Promise<void> {
    const place = source?.kind === "dir" ? source.place : source?.kind === "file" ? source : null;
    if (place === null) throw fileNotFound();
    const target = await folder.locate(to);
    if (target.kind !== "missing") throw withPath(alreadyExists(), to);
    const { parent, names } = target;
    const siblings = await folder.namesIn(parent);
    assertCreatable(
      names,
      siblings.filter((name) => join(parent.path, name) !== join(place.parent.path, place.name)),
    );
    await placeDirectories(target, hold, this.#settings.modes);
    const made = names.length === 1 ? target : await folder.locate(to);
    if (made.kind !== "missing" || made.names.length !== 1) throw withPath(alreadyExists(), to);
    await move(hold, place, { parent: made.parent, name: made.names[0] ?? "" });
  }

  #count(tree: MemoryTree, path: string): void {
    for (const each of tree.pathsWithin(path)) {
      if (tree.files.has(each)) this.#deleted.files += 1;
      else this.#deleted.dirs += 1;
    }
  }
}

async function loadScope(folder: Folder, change: Change, options: ChangeOptions): Promise<LoadedScope> {
  const { paths, below } = await getFolderScope(folder, change);
  const located = new Map<string, Located>();
  const files: FoundFile[] = [];
  const directories: string[] = [];
  const parents: SnapshotFile[] = [];
  for (const path of paths) {
    const found = await folder.locate(path);
    located.set(path, found);
    if (found.kind === "file") {
      files.push({ path, directory: getParent(path), name: found.name, stats: found.stats });
    } else if (found.kind === "dir") {
      const children = below.includes(path) ? await folder.walk(path) : { files: [], directories: [] };
      files.push(...children.files);
      directories.push(path, ...children.directories);
    } else {
      if (found.kind === "belowFile") parents.push(createParent(path));
      // A missing source of a rename is refused before an invalid destination.
      break;
    }
  }
  const texts = await readTexts(folder, change, options, { files, located });
  return { tree: new MemoryTree({ files: [...texts, ...parents], directories, revision: null }), located };
}

/**
 * Returns the scope. The root is replaced by its entries: deleting it keeps files outside the memory, such as `.git`.
 */
async function getFolderScope(folder: Folder, change: Change): Promise<ChangeScope> {
  const scope = getScope(change);
  if (!scope.below.includes(ROOT)) return scope;
  const paths = (await folder.list(ROOT)).map(({ name }) => ROOT + name);
  return { paths, below: paths };
}

/** Creates a placeholder for a file on the way to a path. This is enough to refuse the creation of that path. */
function createParent(path: string): SnapshotFile {
  const time = new Date(0);
  return { kind: "file", path: getParent(path), content: "", sizeBytes: 0, createdAt: time, updatedAt: time };
}

/** Reads the files of a scope, with their texts only if the change or its digest needs them. */
async function readTexts(
  folder: Folder,
  change: Change,
  { expectedDigest }: ChangeOptions,
  { files, located }: { files: readonly FoundFile[]; located: ReadonlyMap<string, Located> },
): Promise<SnapshotFile[]> {
  const toFile = ({ path, stats }: FoundFile, content: string): SnapshotFile => ({ path, content, ...fileStat(stats) });
  if (change.type === "append" || change.type === "update" || change.type === "edit") {
    const found = located.get(change.path);
    const content = found?.kind === "file" ? await readText(found) : "";
    return files.map((file) => toFile(file, content));
  }
  if (expectedDigest === undefined) return files.map((file) => toFile(file, ""));
  // Files without text are left out, as in the snapshot that the digest was computed from.
  return (await readableFiles(folder, files)).map((file) => toFile(file, file.content));
}

/** Locates the outermost of the paths. */
async function locateAll(folder: Folder, paths: readonly string[]): Promise<Map<string, Located>> {
  const removed = new Set(paths);
  const outermost = paths.filter((path) => !removed.has(getParent(path)));
  const located = new Map<string, Located>();
  for (const path of outermost) located.set(path, await folder.locate(path));
  return located;
}

/** Refuses to change a read-only file. The file system would allow to replace it, against the will of its owner. */
function assertWritable({ mode }: Stats): void {
  if ((mode & anyoneWrites) === 0) throw new MemoryError("EIO", "EIO: the file is read-only");
}

/** Removes a file, or moves a directory away in one step and then removes it. */
async function remove(found: Located, hold: Hold): Promise<void> {
  if (found.kind === "file") {
    await found.parent.check();
    hold.assertHeld();
    await io(unlink(found.parent.pathTo(found.name)));
    await found.parent.check();
  } else if (found.kind === "dir" && found.place !== null) {
    const old = freshName("old");
    await move(hold, found.place, { parent: hold.work, name: old });
    await discard(hold.work, old);
  }
}
