import type { IndexDescription } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import { createIndexes } from "../driver/create-indexes.js";
import type { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import type { Expiry } from "./expiry.js";
import { byExpiry, byNamespace, type ItemDocument } from "./item-document.js";

export interface ItemContext {
  collection: ExactCollection<ItemDocument>;
  /** See `StoreContext.connect`. */
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  expiry: Expiry;
  /** Indexes of the ranking. */
  indexes: readonly IndexDescription[];
  /** Whether documents contain fields that reads should leave out. */
  ranked: boolean;
}

const own = {
  filter: { _id: { $type: "string" }, ns: { $type: "string" }, key: { $type: "string" } },
  option: "itemsCollection",
};

/**
 * Explains a duplicate id. Every write selects by id alone, so only the collation or a unique index of the collection
 * can make two ids equal.
 */
export function idTaken(collectionName: string, cause: unknown): MemoryError {
  return new MemoryError(
    "EIO",
    `EIO: the collection ${collectionName} treats two different items as equal, because of its collation or a ` +
      `unique index; name another with the option ${own.option}`,
    { cause },
  );
}

/** Tasks that run once for all calls. */
export interface Preparation {
  /** Checks that the collection contains only our documents. Undefined when that is done. */
  checked: () => Promise<void> | undefined;
  /** Creates the indexes. Undefined when they exist. */
  indexed: () => Promise<void> | undefined;
}

export function createPreparation({ collection, expiry, indexes }: ItemContext): Preparation {
  const all = [byNamespace, ...(expiry.configured ? [byExpiry] : []), ...indexes];
  return {
    checked: once(() => refuseForeignDocuments(collection, own)),
    indexed: once(() => createIndexes(collection, all, "the store", own.option)),
  };
}
