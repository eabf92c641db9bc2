import type { CheckedAddress } from "../../../core/values/address.js";
import { alreadyExists, fileNotFound, parentIsFile, pathIsDirectory } from "../../../core/values/errors.js";
import type { DeletedCounts, MemorySnapshot } from "../../../core/memory.js";
import { parentOf, parentsOf, prefixOf, ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits, utf8Bytes } from "../../../core/values/text.js";
import type { RecordedFile } from "../../history/outbox.js";
import type { DirectoryChange } from "../../history/version-document.js";
import { directoryNotEmpty } from "../layout.js";
import { idOfPath, movedDocument, placeOfFile, rootIdOf } from "./document-ids.js";
import type { StoredDirectory, StoredDocument, StoredFile, StoredRoot } from "./stored-document.js";
import { newChangeId } from "../change-id.js";

/**
 * The documents of a memory that some changes concern, as one change after the other leaves them. It has each path that
 * a change names, with its parents, and all that lies in a directory that a change deletes or moves.
 */
export class RecordedTree {
  /** How many changes have made versions. */
  revision = 0;
  #grownBytes = 0;
  readonly #documents: Map<string, StoredDocument>;
  readonly #address: CheckedAddress;
  readonly #key: string;
  /** Of the change that is being made: what was there before. */
  readonly #before = new Map<string, StoredDocument | undefined>();
  #files: RecordedFile[] = [];
  #directories: DirectoryChange = {};
  #at = new Date(0);
  #now = new Date(0);

  /** @param documents by path, as they are stored */
  constructor(documents: ReadonlyMap<string, StoredDocument>, address: CheckedAddress, key: string) {
    this.#documents = new Map(documents);
    this.#address = address;
    this.#key = key;
  }

  get documents(): ReadonlyMap<string, StoredDocument> {
    return this.#documents;
  }

  /** By how many bytes the texts are longer than those that are stored. */
  get grownBytes(): number {
    return this.#grownBytes;
  }

  /** Begins the next change. */
  begin({ at, fileAt }: { at: Date; fileAt: Date }, revision = this.revision): void {
    this.revision = revision;
    this.#before.clear();
    this.#files = [];
    this.#directories = {};
    this.#at = at;
    this.#now = fileAt;
  }

  /** The tree as it was before the change that is being made. */
  undo(): void {
    for (const [path, document] of this.#before) this.#place(path, document);
    this.begin({ at: this.#at, fileAt: this.#now });
  }

  /** What the change has done since it began; null where it has made no version. */
  get recorded(): { files: RecordedFile[]; directories: DirectoryChange } | null {
    if (this.#files.length === 0 && Object.keys(this.#directories).length === 0) return null;
    return { files: this.#files, directories: this.#directories };
  }

  /** When the change is made. */
  get at(): Date {
    return this.#at;
  }

  get root(): StoredRoot | null {
    return (this.#documents.get(ROOT) as StoredRoot | undefined) ?? null;
  }

  setRoot(fields: Partial<StoredRoot>): void {
    const root = this.root ?? (this.#directoryOf(ROOT) as StoredRoot);
    this.#set(ROOT, { ...root, ...fields });
  }

  /** Writes the root, so that of two transactions that do so only one can end. */
  touchRoot(): void {
    this.setRoot({ made: (this.root?.made ?? 0) + 1 });
  }

  setHead(path: string, head: StoredFile["head"]): void {
    const file = this.#documents.get(path);
    if (file?.kind === "file" && head !== undefined) this.#set(path, { ...file, head });
  }

  kind(path: string): StoredDocument["kind"] | undefined {
    return path === ROOT ? "dir" : this.#documents.get(path)?.kind;
  }

  /** @throws ENOENT, EISDIR */
  file(path: string): StoredFile {
    if (path === ROOT) throw pathIsDirectory();
    const document = this.#documents.get(path);
    if (document === undefined) throw fileNotFound();
    if (document.kind === "dir") throw pathIsDirectory();
    return document;
  }

  /** Everything but the root. Only where all of the memory is here. */
  snapshot(): MemorySnapshot {
    return snapshotOf(this.#documents);
  }

  /** Sets the text of a file, which is made where it is missing. @throws EISDIR, ENOTDIR */
  put(path: string, text: string, createdAt: Date = this.#now): StoredFile {
    const before = this.kind(path) === undefined ? null : this.file(path);
    const fields = { text, textId: newChangeId(), sizeBytes: utf8Bytes(text), updatedAt: this.#now };
    if (before === null) {
      this.#makeParents(path);
      const made: StoredFile = { ...placeOfFile(this.#key, path), kind: "file", ...fields, createdAt };
      this.#set(path, made);
      this.#files.push({ path, gone: false });
      return made;
    }
    const changed = { ...before, ...fields };
    this.#set(path, changed);
    if (before.text !== text) this.#files.push({ path, gone: false, before: before.text });
    return changed;
  }

  deleteFile(path: string): void {
    const { text } = this.file(path);
    this.#set(path, undefined);
    this.#files.push({ path, gone: true, before: text });
  }

  /** A missing path counts nothing. The root is emptied, stays and is never counted. */
  deleteDirectory(path: string, checkBelow?: (path: string) => void): DeletedCounts {
    const below = this.pathsBelow(path);
    if (checkBelow !== undefined) below.forEach(checkBelow);
    const directories = [
      ...(path === ROOT || this.kind(path) === undefined ? [] : [path]),
      ...below.filter((each) => this.kind(each) === "dir"),
    ];
    const files = below.filter((each) => this.kind(each) === "file");
    for (const file of files) this.deleteFile(file);
    for (const directory of directories) this.#set(directory, undefined);
    this.#addRemoved(directories);
    return { files: files.length, dirs: directories.length };
  }

  /** @throws EINVAL where something lies in it */
  deleteEmptyDirectory(path: string): void {
    if (path === ROOT || this.kind(path) !== "dir") return;
    if (this.pathsBelow(path).length > 0) throw directoryNotEmpty();
    this.deleteDirectory(path);
  }

  /** @throws ENOENT, EEXIST, ENOTDIR, and what `checkMoved` throws */
  rename(from: string, to: string, checkMoved: (path: string) => void): void {
    const moved = this.#documents.get(from);
    if (moved === undefined || from === ROOT) throw fileNotFound();
    if (this.kind(to) !== undefined) throw alreadyExists();
    const below = moved.kind === "dir" ? this.pathsBelow(from) : [];
    const renamed = below.map((path): [string, string] => [path, to + path.slice(from.length)]);
    for (const [, path] of renamed) checkMoved(path);
    this.#makeParents(to);
    for (const [path, target] of [[from, to] as const, ...renamed]) {
      const document = this.#documents.get(path);
      if (document === undefined) continue;
      this.#set(path, undefined);
      this.#set(target, movedDocument(this.#key, document, target));
      if (document.kind === "file") this.#files.push({ path: target, from: path, gone: false });
    }
    if (moved.kind === "dir") this.#directories.moved = { from, to };
  }

  /** Makes directories with their parents, where they are missing. @throws ENOTDIR */
  makeDirectory(path: string): void {
    if (this.kind(path) !== undefined) return;
    this.#makeParents(path);
    this.#set(path, this.#directoryOf(path));
    this.#addAdded([path]);
  }

  /** Tells the change that is being made in other words. */
  tell(files: readonly RecordedFile[], directories: DirectoryChange): void {
    this.#files = [...files];
    this.#directories = directories;
  }

  /** All that lies in a directory, in order. */
  pathsBelow(path: string): string[] {
    return [...this.#documents.keys()]
      .filter((other) => other !== path && other.startsWith(prefixOf(path)))
      .toSorted(compareCodeUnits);
  }

  #makeParents(path: string): void {
    const parents = parentsOf(path);
    if (parents.some((parent) => this.kind(parent) === "file")) throw parentIsFile();
    const missing = parents.filter((parent) => this.kind(parent) === undefined);
    this.#addAdded(missing);
    if (this.root === null) this.#set(ROOT, this.#directoryOf(ROOT));
    for (const parent of missing) this.#set(parent, this.#directoryOf(parent));
    const parent = this.#documents.get(parentOf(path));
    // Written, so that nobody can delete the directory meanwhile.
    if (parent?.kind === "dir") this.#set(parentOf(path), { ...parent, made: parent.made + 1, updatedAt: this.#now });
  }

  #directoryOf(path: string): StoredDirectory {
    const directory = { kind: "dir", made: 1, createdAt: this.#now, updatedAt: this.#now } as const;
    if (path === ROOT) return { _id: rootIdOf(this.#key), ...directory, ...this.#address };
    return { _id: idOfPath(this.#key, path), ...directory };
  }

  #addAdded(paths: readonly string[]): void {
    if (paths.length > 0) this.#directories.added = [...(this.#directories.added ?? []), ...paths];
  }

  #addRemoved(paths: readonly string[]): void {
    if (paths.length > 0) this.#directories.removed = [...(this.#directories.removed ?? []), ...paths];
  }

  #set(path: string, document: StoredDocument | undefined): void {
    if (!this.#before.has(path)) this.#before.set(path, this.#documents.get(path));
    this.#place(path, document);
  }

  #place(path: string, document: StoredDocument | undefined): void {
    this.#grownBytes += textBytesOf(document) - textBytesOf(this.#documents.get(path));
    if (document === undefined) this.#documents.delete(path);
    else this.#documents.set(path, document);
  }
}

function textBytesOf(document: StoredDocument | undefined): number {
  return document?.kind === "file" ? document.sizeBytes : 0;
}

/** Everything but the root. */
export function snapshotOf(documents: ReadonlyMap<string, StoredDocument>): MemorySnapshot {
  const snapshot: MemorySnapshot = { files: [], directories: [], revision: null };
  for (const [path, document] of documents) {
    if (document.kind === "file") {
      const { kind, text: content, sizeBytes, createdAt, updatedAt } = document;
      snapshot.files.push({ path, kind, content, sizeBytes, createdAt, updatedAt });
    } else if (path !== ROOT) snapshot.directories.push(path);
  }
  return snapshot;
}
