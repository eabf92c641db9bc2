import type { SharedCollections } from "../contract/layout-context.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { type MemoryExpiry, notExpired } from "../memory-expiry.js";
import { movedAway, notHere } from "../moves/moved-memory.js";
import { isMark, lookUp, type MemoryDocument } from "./document.js";

/** What all memories of one collection share. */
export interface DocumentContext extends SharedCollections {
  collection: ExactCollection<MemoryDocument>;
  /**
   * Connects, and makes the unique indexes if this process has not yet; without them two first writes could make two
   * documents.
   */
  ready: () => Promise<void> | undefined;
  /** Queues what loads a memory before it changes it, inside this process, so that such changes do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  expiry: MemoryExpiry;
  /** Null where the store keeps no history. `begins`: false where only memories that have one already go on with it. */
  history: { begins: boolean } | null;
  /** Tell of changes of the collection. */
  streams: ChangeStreams;
  /** Changes nothing: a revert only tells what it would make. */
  isReader: boolean;
  /** Only memories that have moved here are kept: none is made. */
  isGuest: boolean;
}

/** @throws movedAway, notHere */
export function refuseElsewhere({ isGuest }: DocumentContext, found: { revision?: unknown } | null): void {
  if (isMark(found)) throw movedAway();
  if (found === null && isGuest) throw notHere();
}

/** Finds the document of an address that has not expired. Without a lifetime it is the plain look-up: see `lookUp`. */
export function presentLookUp({ expiry }: DocumentContext, address: CheckedAddress): object {
  return { ...lookUp(address), ...notExpired(expiry.deadline(address.scope)) };
}
