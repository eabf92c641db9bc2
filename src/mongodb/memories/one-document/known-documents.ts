import type { ObjectId } from "mongodb";
import type { CheckedAddress } from "../../../core/address.js";
import { RecentMap } from "../../../core/recent-map.js";
import { type Expression, literal } from "../expressions.js";
import { lookUp, type MemoryDocument } from "./document.js";

/** How many addresses and how many files are kept. */
const maxKnown = { ids: 10_000, files: 1000 };

/** The ids of documents that were found by their address: by its id alone the server finds a document without planning (ADR 0028). */
export class KnownDocuments {
  readonly #ids = new RecentMap<ObjectId>(maxKnown.ids);
  readonly #files = new RecentMap<true>(maxKnown.files);
  #isUsed = false;

  /** Not behind a router, which needs the address to find the shard. */
  use(): void {
    this.#isUsed = true;
  }

  idOf(address: CheckedAddress): ObjectId | undefined {
    return this.#isUsed ? this.#ids.get(JSON.stringify(address)) : undefined;
  }

  setId(address: CheckedAddress, id: ObjectId): void {
    if (!this.#isUsed) return;
    const key = JSON.stringify(address);
    if (this.#ids.get(key) === undefined) this.#ids.set(key, id);
  }

  forgetId(address: CheckedAddress): void {
    this.#ids.delete(JSON.stringify(address));
  }

  /** Whether the path was last seen to be that of a file. */
  isFile(address: CheckedAddress, path: string): boolean {
    return this.#isUsed && this.#files.get(JSON.stringify([address, path])) === true;
  }

  setFile(address: CheckedAddress, path: string): void {
    if (this.#isUsed) this.#files.set(JSON.stringify([address, path]), true);
  }

  forgetFile(address: CheckedAddress, path: string): void {
    this.#files.delete(JSON.stringify([address, path]));
  }
}

/** What tells whose document was found. */
export const addressFields = { nodeId: 1, scope: 1, threadId: 1, userId: 1 } as const satisfies Partial<Record<keyof MemoryDocument, 1>>;

/** Somebody may have given the document to another memory, by hand. */
export function isAt(address: CheckedAddress, found: Partial<MemoryDocument>): boolean {
  return Object.entries(lookUp(address)).every(([field, value]) => found[field as keyof MemoryDocument] === value);
}

/** Whether a document is that of another memory, or a mark, or of the earlier layout. */
export function isOther(address: CheckedAddress): Expression {
  const fields = Object.entries(lookUp(address));
  const found = [...fields.map(([field]) => `$${field}`), { $isNumber: "$revision" }];
  return { $ne: [found, literal([...fields.map(([, value]) => value), true])] };
}
