import type { SharedCollections } from "../contract/layout-context.js";
import type { FindOptions } from "mongodb";
import { RecentMap } from "../../../core/runtime/recent-map.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { TransactionSettings } from "../../driver/transactions.js";
import type { MemoryExpiry } from "../expiry/memory-expiry.js";
import { movedAway, notHere } from "../moves/moved-memory.js";
import type { ChangeQueue } from "./changes/queue.js";
import { isMark, type StoredDocument } from "./documents.js";

/** The parts that all memories of one collection share. */
export interface FilesContext extends SharedCollections {
  collection: ExactCollection<StoredDocument>;
  /** Connects, refuses a standalone server, and creates the indexes if this process has not done so. */
  ready: () => Promise<void> | undefined;
  transactions: TransactionSettings;
  clock: () => Date;
  /** The times of files, if they differ from those of `clock`. */
  fileClock?: () => Date;
  expiry: MemoryExpiry;
  changeTimes: ChangeTimes;
  /** Null if the store keeps no history. `begins`: false if only memories that already have a history continue it. */
  history: { begins: boolean } | null;
  /** Collects the changes that this process makes at the same time. */
  changes: ChangeQueue;
  /** Whether the store only reads: a revert then only returns what it would record. */
  isReader: boolean;
  /** Report changes of the collection. */
  streams: ChangeStreams;
  /**
   * Up to this number of documents, a search reads all texts of a memory. Undefined: searches always read all texts,
   * because there is no index of words.
   */
  narrowsAbove?: number | undefined;
  /** Whether only memories are kept that have moved here, and none is created. */
  isGuest: boolean;
  /** Maximum size in bytes of all texts of the memory. Undefined for no limit. */
  maxMemoryBytes?: number;
}

/**
 * Returns the read concern for reads of one document. Reads of several documents use a snapshot, which contains
 * majority-committed changes only. Without this concern, a caller could read a change here and then miss it in a
 * snapshot. With a write concern below majority, the concern would hide acknowledged changes, and is left out.
 */
export function readAcknowledged({
  transactions,
}: Pick<FilesContext, "transactions">): Pick<FindOptions, "readConcern"> {
  const { level = "local" } = transactions.client.readConcern ?? {};
  const isOfMajority = transactions.writeConcern.w === "majority";
  return isOfMajority && level === "local" ? { readConcern: { level: "majority" } } : {};
}

/** @param root the root of a memory. Undefined or null if there is none. @throws movedAway, notHere */
export function refuseElsewhere(
  { isGuest }: { isGuest?: boolean },
  root: { kind?: string | undefined } | null | undefined,
): void {
  if (isMark(root)) throw movedAway();
  if (isGuest === true && (root === null || root === undefined)) throw notHere();
}

/** For how many memories the times of the last changes are kept. */
const maxKnown = 10_000;

/** The last known change of each memory of a store. */
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
