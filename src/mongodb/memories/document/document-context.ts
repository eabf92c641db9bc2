import type { SharedCollections } from "../contract/store-context.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { type MemoryExpiry, notExpired } from "../expiry/memory-expiry.js";
import { lookUp, type MemoryDocument } from "./document.js";

/** The parts that all memories of one collection share. */
export interface DocumentContext extends SharedCollections {
  collection: ExactCollection<MemoryDocument>;
  /**
   * Connects, and creates the unique indexes if this process has not done so. Without the indexes two concurrent first
   * writes could create two documents.
   */
  ready: () => Promise<void> | undefined;
  /** Queues changes that load a memory first, so that such changes of this process do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  expiry: MemoryExpiry;
  /** Null if the store keeps no history. `begins`: false if only memories that already have a history continue it. */
  history: { begins: boolean } | null;
  /** Report changes of the collection. */
  streams: ChangeStreams;
  /** Whether the store only reads: a revert then only returns what it would record. */
  isReader: boolean;
}

/** Finds the unexpired document of an address. Without a lifetime this is the plain look-up: see `lookUp`. */
export function presentLookUp({ expiry }: DocumentContext, address: CheckedAddress): object {
  return { ...lookUp(address), ...notExpired(expiry.deadline(address.scope)) };
}
