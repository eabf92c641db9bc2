import { MemoryTree, type TreeEdits } from "../../../../core/tree/memory-tree.js";
import type { MemorySnapshot, SnapshotFile } from "../../../../core/tree/snapshot.js";
import type { IndexedDocument, StoredDocument, StoredRoot } from "../documents.js";

/** A document of a tree. If no text is needed, only its entry in the index of listings is read. */
export type TreeDocument = StoredDocument | IndexedDocument;

/** Returns false for a document of which only the index entry was read. */
export function isComplete(document: TreeDocument): document is StoredDocument {
  return "createdAt" in document;
}

/**
 * A part of a memory as loaded, and with changes applied. Also keeps which document is at each path, because a tree
 * does not show it: a file that is deleted and created again is another document; a moved or rewritten file is the
 * same.
 */
export class LoadedTree extends MemoryTree {
  /** How many changes have made versions. */
  revision: number;
  #grownBytes = 0;
  /** By path. */
  readonly loaded: ReadonlyMap<string, TreeDocument>;
  readonly #documents: Map<string, TreeDocument>;

  /** @param loaded all documents of the scope except the root */
  constructor(loaded: ReadonlyMap<string, TreeDocument>, root: StoredRoot | null) {
    const files = [...loaded].flatMap(([path, document]) => createFile(path, document) ?? []);
    const directories = [...loaded].filter(([, { kind }]) => kind === "dir").map(([path]) => path);
    super({ files, directories, revision: null });
    this.loaded = loaded;
    this.revision = root?.history?.revision ?? 0;
    this.#documents = new Map(loaded);
  }

  /** Returns the stored document that is now at a path. Undefined for a path that a change has created. */
  document(path: string): TreeDocument | undefined {
    return this.#documents.get(path);
  }

  /** By how many bytes all texts have grown since they were loaded. */
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

  /** Returns by how many bytes planned edits enlarge all texts. */
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

/** Returns a file; its text is empty if the text was not read. Null for a directory. */
function createFile(path: string, document: TreeDocument): SnapshotFile | null {
  if (document.kind !== "file") return null;
  const { sizeBytes = 0, updatedAt } = document;
  const { text, createdAt } = "text" in document ? document : { text: "", createdAt: updatedAt };
  return { path, kind: "file", content: text, sizeBytes, createdAt, updatedAt };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
