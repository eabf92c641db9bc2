import type { MemoryTree } from "../../../core/tree/memory-tree.js";

/** What a process knows of a page. */
export interface CachedPage {
  /** Changes with each change of the page, and is never used again for other contents. */
  version: string;
  /** How many UTF-16 units of each text the tree has at least. */
  chars: number;
  tree: MemoryTree;
}

/** The bytes of all pages that a store keeps. Above that, the page that was used longest ago is read again. */
const maxCachedBytes = 64_000_000;

/** A file without its path and text, with its entries in the maps of a tree. */
const fileBytes = 300;

/** The pages of all memories of a store, each as it was read last. A page that is known is read again when it changes. */
export class PageCache {
  readonly #maxBytes: number;
  /** The page that was used longest ago is first. */
  readonly #pages = new Map<string, { page: CachedPage; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes = maxCachedBytes) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param id of the page */
  get(id: string): CachedPage | undefined {
    const found = this.#pages.get(id);
    if (found === undefined) return undefined;
    this.#pages.delete(id);
    this.#pages.set(id, found);
    return found.page;
  }

  set(id: string, page: CachedPage): void {
    this.#remove(id);
    const bytes = measure(page);
    this.#pages.set(id, { page, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }

  #remove(id: string): void {
    this.#bytes -= this.#pages.get(id)?.bytes ?? 0;
    this.#pages.delete(id);
  }
}

/** A text with characters beyond Latin-1 takes two bytes for each unit. */
function measure({ tree }: CachedPage): number {
  let bytes = fileBytes;
  for (const { path, content } of tree.files.values()) bytes += fileBytes + 2 * (path.length + content.length);
  for (const path of tree.directories) bytes += fileBytes + 2 * path.length;
  return bytes;
}
