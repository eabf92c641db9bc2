import type { MongoClient } from "mongodb";
import type { MemoryActor } from "../../../core/values/actor.js";
import type { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { RecentMap } from "../../../core/runtime/recent-map.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { TransactionSettings } from "../../driver/transactions.js";
import type { VersionCollection } from "../../history/version-collection.js";
import type { Embedder } from "../../embeddings/embedder.js";
import type { VectorCollection } from "../../embeddings/vector-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import type { ChangeQueue } from "./change-queue.js";
import type { Creations } from "./creations.js";
import type { KnownLives } from "./known-lives.js";
import type { StoredDocument } from "./stored-document.js";

/** Large: too large to be read as a whole. */
export type SizeSeen = "some pages" | "large";

/** What all memories of one collection share. */
export interface FilesContext {
  collection: ExactCollection<StoredDocument>;
  /** Connects, refuses a standalone server, and makes the indexes if this process has not yet. */
  ready: () => Promise<void> | undefined;
  transactions: TransactionSettings;
  /** Gathers what is made in this process at the same time. */
  creations: Creations;
  /** Queues the edits of one file inside this process, so that they do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  /** The times of files, where they are not those of `clock`. */
  fileClock?: () => Date;
  expiry: MemoryExpiry;
  lives: KnownLives;
  /**
   * By their keys, the memories that took more than a page when they were last shown. Only the order of work depends on
   * it.
   */
  sizesSeen: RecentMap<SizeSeen>;
  /** Null where the store keeps no history. `begins`: false where only memories that have one already go on with it. */
  history: { begins: boolean } | null;
  /** Also without history: what is forgotten may have one of another time. */
  versions: VersionCollection;
  /** Makes what is changed in this process at the same time, where there is a history. */
  changes: ChangeQueue;
  /** Who makes the changes. */
  actor: MemoryActor | null;
  /** Changes nothing: a revert only tells what it would make. */
  isReader: boolean;
  /** The changes that wait for a person. */
  records: RecordCollection;
  /** Tell of changes of the collection. */
  streams: ChangeStreams;
  /** Also without embeddings: another store may have stored some. */
  vectors: VectorCollection;
  /** Null: passages are found by their words alone. */
  embeddings: { client: MongoClient; embedder: Embedder } | null;
  /**
   * How many documents a memory may have of which a search reads all. Undefined: any number, as there is no index of
   * words.
   */
  narrowsAbove?: number | undefined;
  /** Only memories that have moved here are kept: none is made. Default: false. */
  isGuest?: boolean;
  /** What all texts of the memory may take, in bytes. Left out: it has no limit. */
  maxMemoryBytes?: number;
  /** With which the commands end. */
  call?: CallContext;
}

/** The same, for the commands of one call. */
export function contextFor(call: CallContext, context: FilesContext): FilesContext {
  return { call, ...context, collection: context.collection.forCall(call) };
}

/** For the commands of the same call. Only here, as most calls have none. */
export function versionsInCall({ call, versions }: FilesContext): VersionCollection {
  return call === undefined ? versions : versions.forCall(call);
}

/** Whether a change is acknowledged only once a majority has it. */
export function isOfMajority({ transactions }: Pick<FilesContext, "transactions">): boolean {
  return transactions.writeConcern.w === "majority";
}
