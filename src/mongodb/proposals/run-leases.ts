import type { RunLease, RunProgress } from "../../core/contract/run-lease.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { isDuplicateKey } from "../driver/errors.js";
import { literals } from "../driver/records.js";
import { leaseKind, type RecordCollection, type Records } from "./record-collection.js";

interface StoredLease extends RunProgress {
  _id: string;
  kind: typeof leaseKind;
  holder: string | null;
  until: Date;
  expiresAt?: Date;
}

/** A lease of one memory, for one call. */
interface LeaseContext {
  records: RecordCollection;
  address: CheckedAddress;
  /** Null for the memory itself, or a thread whose messages are read. */
  thread: string | null;
  /** The time that the memory lives without a change, in ms. Null: always. */
  lifetimeMs: number | null;
  clock: () => Date;
  call: CallContext;
}

/** A lease is a document in the collection of proposals, so `forget` and expiry remove it too. */
export function createRunLease({ records, address, thread, lifetimeMs, clock, call }: LeaseContext): RunLease {
  const { nodeId, scope, threadId, userId } = { threadId: null, userId: null, ...address };
  const owner = [nodeId, scope, threadId, userId, ...(thread === null ? [] : [thread])];
  const _id = `${leaseKind}-${hashSha256(JSON.stringify(owner))}`;
  const later = (ms: number): Date => new Date(clock().getTime() + ms);
  const swap = (collection: Records, filter: object, fields: object, upsert = false): Promise<StoredLease | null> => {
    const options = { upsert, returnDocument: "after" } as const;
    return collection.findOneAndUpdate<StoredLease>({ _id, ...filter }, [{ $set: literals(fields) }], call, options);
  };
  return {
    take: (runId, forMs) =>
      records.create(async (collection) => {
        const expiry = lifetimeMs === null ? {} : { expiresAt: later(lifetimeMs) };
        const fields = { ...address, kind: leaseKind, at: clock(), holder: runId, until: later(forMs), ...expiry };
        try {
          const taken = await swap(collection, { until: { $lte: clock() } }, fields, true);
          return { bookmark: taken?.bookmark ?? null, lastRunId: taken?.lastRunId ?? null };
        } catch (error) {
          // Another run has the document.
          if (isDuplicateKey(error)) return null;
          throw error;
        }
      }),
    renew: (runId, forMs) =>
      records.create(async (collection) => {
        const held = await swap(collection, { holder: runId, until: { $gt: clock() } }, { until: later(forMs) });
        if (held !== null) return true;
        return (await collection.findOne({ _id }, call, { projection: { _id: 1 } })) === null ? null : false;
      }),
    release: (runId, progress) =>
      records.create(async (collection) => {
        const fields = { holder: null, until: new Date(0), ...progress };
        return (await swap(collection, { holder: runId }, fields)) !== null;
      }),
  };
}
