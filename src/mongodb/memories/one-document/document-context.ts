import type { MemoryActor } from "../../../core/actor.js";
import type { CheckedAddress } from "../../../core/address.js";
import type { KeyedMutex } from "../../../core/keyed-mutex.js";
import type { OngoingCall } from "../../../core/ongoing-call.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { VersionCollection } from "../../history/version-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import { lookUp, type MemoryDocument } from "./document.js";

/** What all memories of one collection share. */
export interface DocumentContext {
  collection: ExactCollection<MemoryDocument>;
  /** Connects, and makes the unique indexes if this process has not yet; without them two first writes could make two documents. */
  ready: () => Promise<void> | undefined;
  /** Queues the edits of one file inside this process, so that they do not race each other. */
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
  /** With which the commands end. */
  call?: OngoingCall;
}

export interface KeptHistory {
  versions: VersionCollection;
  /** False where only memories that have a history already go on with it. */
  begins: boolean;
}

/** Finds the document of an address that has not expired. Without a lifetime it is the plain look-up: see `lookUp`. */
export function presentLookUp({ expiry }: DocumentContext, address: CheckedAddress): object {
  return { ...lookUp(address), ...notExpired(expiry.deadline(address.scope)) };
}

/** Also true for documents of the earlier system without times, which never expire until they are changed. */
export function notExpired(deadline: Date | null): { updatedAt?: object } {
  return deadline === null ? {} : { updatedAt: { $not: { $lte: deadline } } };
}

/** The same, for the commands of one call. */
export function contextFor(call: OngoingCall, context: DocumentContext): DocumentContext {
  return { ...context, collection: context.collection.forCall(call), call };
}

/** For the commands of the same call. Only here, as most calls have none. */
export function versionsInCall({ call }: DocumentContext, versions: VersionCollection): VersionCollection {
  return call === undefined ? versions : versions.forCall(call);
}

/** The same of what waits for a person. */
export function recordsInCall({ call, records }: DocumentContext): RecordCollection {
  return call === undefined ? records : records.forCall(call);
}

/** Values as JavaScript's own, whatever the client's defaults are. */
export const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;
