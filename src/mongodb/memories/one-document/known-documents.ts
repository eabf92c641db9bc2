import type { ObjectId } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { RecentMap } from "../../../core/runtime/recent-map.js";
import { type Expression, literal } from "../expressions.js";
import { lookUp, type MemoryDocument } from "./document.js";

/** How many addresses and how many files are kept. */
const maxKnown = { documents: 10_000, files: 10_000 };

/**
 * The ids of documents that were found by their address: by its id alone the server finds a document without planning
 * (ADR 0028).
 */
export class KnownDocuments {
  readonly #documents = new RecentMap<KnownDocument>(maxKnown.documents);
  /** Of all documents. The time is when the file was made, in milliseconds; null where that was not answered. */
  readonly files = new RecentMap<number | null>(maxKnown.files);
  isUsed = false;

  /** Not behind a router, which needs the address to find the shard. */
  use(): void {
    this.isUsed = true;
  }

  of(address: CheckedAddress): KnownDocument {
    const key = JSON.stringify(address);
    const found = this.#documents.get(key);
    if (found !== undefined) return found;
    const document = new KnownDocument(this, key, address);
    this.#documents.set(key, document);
    return document;
  }
}

/** What a store remembers of the document of one memory. It may not be so any more. */
export class KnownDocument {
  readonly #all: KnownDocuments;
  readonly #key: string;
  /** Of the files. What was remembered before is not found any more, and goes in its turn. */
  #generation = 0;
  #id: ObjectId | undefined;
  /** Whether a document is that of another memory, or a mark, or of the earlier layout. */
  readonly isOther: Expression;

  /** @param key of the address, different from those of all others */
  constructor(all: KnownDocuments, key: string, address: CheckedAddress) {
    this.#all = all;
    this.#key = key;
    this.isOther = isOther(address);
  }

  get id(): ObjectId | undefined {
    return this.#id;
  }

  setId(id: ObjectId): void {
    if (this.#all.isUsed) this.#id ??= id;
  }

  forgetId(): void {
    this.#id = undefined;
  }

  /** Whether the path was last seen to be that of a file. */
  isFile(path: string): boolean {
    return this.#all.files.get(this.#keyOf(path)) !== undefined;
  }

  /** When the file was made, if that is known. */
  createdAt(path: string): Date | null {
    const time = this.#all.files.get(this.#keyOf(path)) ?? null;
    return time === null ? null : new Date(time);
  }

  /** @param createdAt null where it was not answered */
  setFile(path: string, createdAt: Date | null): void {
    const { files, isUsed } = this.#all;
    if (!isUsed) return;
    const key = this.#keyOf(path);
    const known = files.get(key);
    const time = createdAt?.getTime() ?? known ?? null;
    if (known === undefined || known !== time) files.set(key, time);
  }

  forgetFile(path: string): void {
    this.#all.files.delete(this.#keyOf(path));
  }

  forgetFiles(): void {
    this.#generation += 1;
  }

  #keyOf(path: string): string {
    return `${this.#key}${this.#generation}${path}`;
  }
}

/** What tells whose document was found. */
export const addressFields = { nodeId: 1, scope: 1, threadId: 1, userId: 1 } as const satisfies Partial<
  Record<keyof MemoryDocument, 1>
>;

/** Somebody may have given the document to another memory, by hand. */
export function isAt(address: CheckedAddress, found: Partial<MemoryDocument>): boolean {
  return Object.entries(lookUp(address)).every(([field, value]) => found[field as keyof MemoryDocument] === value);
}

function isOther(address: CheckedAddress): Expression {
  const fields = Object.entries(lookUp(address));
  const found = [...fields.map(([field]) => `$${field}`), { $isNumber: "$revision" }];
  return { $ne: [found, literal([...fields.map(([, value]) => value), true])] };
}
