import type { SharedCollections } from "../contract/layout-context.js";
import type { FindOptions } from "mongodb";
import { RecentMap } from "../../../core/runtime/recent-map.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { TransactionSettings } from "../../driver/transactions.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import { movedAway, notHere } from "../moves/moved-memory.js";
import type { ChangeQueue } from "./changes/queue.js";
import { isMark, type StoredDocument } from "./documents.js";

/** What all memories of one collection share. */
export interface FilesContext extends SharedCollections {
  collection: ExactCollection<StoredDocument>;
  /** Connects, refuses a standalone server, and makes the indexes if this process has not yet. */
  ready: () => Promise<void> | undefined;
  transactions: TransactionSettings;
  clock: () => Date;
  /** The times of files, where they are not those of `clock`. */
  fileClock?: () => Date;
  expiry: MemoryExpiry;
  changeTimes: ChangeTimes;
  /** Null where the store keeps no history. `begins`: false where only memories that have one already go on with it. */
  history: { begins: boolean } | null;
  /** Gathers the changes that this process makes at the same time. */
  changes: ChangeQueue;
  /** Changes nothing: a revert only tells what it would make. */
  isReader: boolean;
  /** Tell of changes of the collection. */
  streams: ChangeStreams;
  /**
   * How many documents a memory may have of which a search reads all. Undefined: any number, as there is no index of
   * words.
   */
  narrowsAbove?: number | undefined;
  /** Only memories that have moved here are kept: none is made. */
  isGuest: boolean;
  /** What all texts of the memory may take, in bytes. Left out: it has no limit. */
  maxMemoryBytes?: number;
}

/**
 * For reads of one document. As reads of several documents, which are of a snapshot, they see acknowledged changes
 * alone: a caller could read a change here otherwise, and then not see it there. Where changes are acknowledged before a
 * majority has them, those would not be seen.
 */
export function readAcknowledged({
  transactions,
}: Pick<FilesContext, "transactions">): Pick<FindOptions, "readConcern"> {
  const { level = "local" } = transactions.client.readConcern ?? {};
  const isOfMajority = transactions.writeConcern.w === "majority";
  return isOfMajority && level === "local" ? { readConcern: { level: "majority" } } : {};
}

/** @param root that of a memory, undefined or null where there is none. @throws movedAway, notHere */
export function refuseElsewhere(
  { isGuest }: { isGuest?: boolean },
  root: { kind?: string | undefined } | null | undefined,
): void {
  if (isMark(root)) throw movedAway();
  if (isGuest === true && (root === null || root === undefined)) throw notHere();
}

/** How many memories the times of the last changes are kept of. */
const maxKnown = 10_000;

/** What a store knows of when its memories were changed. */
export class ChangeTimes {
  readonly #changedAt = new RecentMap<Date>(maxKnown);
  sweptAt = -Infinity;
  isSweeping = false;

  changedAt(memoryKey: string): Date | undefined {
    return this.#changedAt.get(memoryKey);
  }

  remember(memoryKey: string, at: Date): void {
    const known = this.#changedAt.get(memoryKey);
    if (known !== undefined && known >= at) return;
    this.#changedAt.set(memoryKey, at);
  }

  forget(memoryKey: string): void {
    this.#changedAt.delete(memoryKey);
  }
}
