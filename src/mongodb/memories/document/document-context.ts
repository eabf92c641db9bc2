import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { MongoClient } from "mongodb";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { VersionCollection } from "../../history/version-collection.js";
import type { Embedder } from "../../embeddings/embedder.js";
import type { VectorCollection } from "../../embeddings/vector-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import { type MemoryExpiry, notExpired } from "../memory-expiry.js";
import { movedAway, notHere } from "../moves/moved-memory.js";
import { isMark, lookUp, type MemoryDocument } from "./document.js";

/** What all memories of one collection share. */
export interface DocumentContext {
  collection: ExactCollection<MemoryDocument>;
  /**
   * Connects, and makes the unique indexes if this process has not yet; without them two first writes could make two
   * documents.
   */
  ready: () => Promise<void> | undefined;
  /** Queues what loads a memory before it changes it, inside this process, so that such changes do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  /** The times of files, where they are not those of `clock`. */
  fileClock?: () => Date;
  expiry: MemoryExpiry;
  /** Null where the store keeps no history. */
  history: KeptHistory | null;
  /** Who makes the changes. */
  actor: MemoryActor | null;
  /** The changes that wait for a person. */
  records: RecordCollection;
  /** Tell of changes of the collection. */
  streams: ChangeStreams;
  /** Also without embeddings: another store may have stored some. */
  vectors: VectorCollection;
  /** Null: passages are found by their words alone. */
  embeddings: { client: MongoClient; embedder: Embedder } | null;
  /** Changes nothing: a revert only tells what it would make. */
  isReader: boolean;
  /** Only memories that have moved here are kept: none is made. Default: false. */
  isGuest?: boolean;
  /** With which the commands end. */
  call?: CallContext;
}

export interface KeptHistory {
  versions: VersionCollection;
  /** False where only memories that have a history already go on with it. */
  begins: boolean;
}

/** @throws movedAway, notHere */
export function refuseElsewhere({ isGuest }: DocumentContext, found: { revision?: unknown } | null): void {
  if (isMark(found)) throw movedAway();
  if (found === null && isGuest === true) throw notHere();
}

/** Finds the document of an address that has not expired. Without a lifetime it is the plain look-up: see `lookUp`. */
export function presentLookUp({ expiry }: DocumentContext, address: CheckedAddress): object {
  return { ...lookUp(address), ...notExpired(expiry.deadline(address.scope)) };
}

/** The same, for the commands of one call. */
export function contextFor(call: CallContext, context: DocumentContext): DocumentContext {
  return { ...context, call, actor: call.actor, collection: context.collection.forCall(call) };
}

/** For the commands of the same call. Only here, as most calls have none. */
export function versionsInCall({ call }: DocumentContext, versions: VersionCollection): VersionCollection {
  return call === undefined ? versions : versions.forCall(call);
}
