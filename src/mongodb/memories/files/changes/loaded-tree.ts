import { MemoryTree, type TreeEdits } from "../../../../core/tree/memory-tree.js";
import type { MemorySnapshot, SnapshotFile } from "../../../../core/tree/snapshot.js";
import type { IndexedDocument, StoredDocument, StoredRoot } from "../documents.js";

/** A document of a tree. Where no text is needed, only its place in the index of listings is read. */
export type TreeDocument = StoredDocument | IndexedDocument;

/** False for a document of which only the index of listings was read. */
export function isComplete(document: TreeDocument): document is StoredDocument {
  return "createdAt" in document;
}

/**
 * A part of a memory as it was loaded, and as changes leave it. It also keeps which document is at each path, because a
 * tree does not say it: a file that is deleted and created again is another document; a moved or rewritten one is not.
 */
export class LoadedTree extends MemoryTree {
  /** How many changes have made versions. */
  revision: number;
  #grownBytes = 0;
  /** By path. */
  readonly loaded: ReadonlyMap<string, TreeDocument>;
  readonly #documents: Map<string, TreeDocument>;

  /** @param loaded all documents of the scope but the root */
  constructor(loaded: ReadonlyMap<string, TreeDocument>, root: StoredRoot | null) {
    const files = [...loaded].flatMap(([path, document]) => createFile(path, document) ?? []);
    const directories = [...loaded].filter(([, { kind }]) => kind === "dir").map(([path]) => path);
    super({ files, directories, revision: null });
    this.loaded = loaded;
    this.revision = root?.history?.revision ?? 0;
    this.#documents = new Map(loaded);
  }

  /** The stored document that is now at a path. Undefined for a path that a change has created. */
  document(path: string): TreeDocument | undefined {
    return this.#documents.get(path);
  }

  /** By how many bytes all texts are longer than when they were loaded. */
  get grownBytes(): number {
    return this.#grownBytes;
  }

  override snapshot(): MemorySnapshot {
    return { ...super.snapshot(), revision: this.revision };
  }

  override commit(edits: TreeEdits): void {
    this.#grownBytes += this.growth(edits);
    for (const path of edits.removed) this.#documents.delete(path);
    const moved = edits.moved.map(({ path, to }) => ({ to, document: this.#documents.get(path) }));
    for (const { path } of edits.moved) this.#documents.delete(path);
    for (const { to, document } of moved) if (document !== undefined) this.#documents.set(to, document);
    super.commit(edits);
  }

  /** By how many bytes edits that are not made yet make all texts longer. */
  growth(edits: TreeEdits): number {
    const getSize = (path: string): number => this.files.get(path)?.sizeBytes ?? 0;
    const sources = new Map(edits.moved.map(({ path, to }) => [to, path]));
    const removed = new Set(edits.removed);
    const replaced = edits.files
      .map((file) => sources.get(file.path) ?? file.path)
      .filter((path) => !removed.has(path));
    return (
      sum(edits.files.map(({ sizeBytes }) => sizeBytes)) - sum([...removed].map(getSize)) - sum(replaced.map(getSize))
    );
  }
}

/** A file without its text if that was not read; null for a directory. */
function createFile(path: string, document: TreeDocument): SnapshotFile | null {
  if (document.kind !== "file") return null;
  const { sizeBytes = 0, updatedAt } = document;
  const { text, createdAt } = "text" in document ? document : { text: "", createdAt: updatedAt };
  return { path, kind: "file", content: text, sizeBytes, createdAt, updatedAt };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
