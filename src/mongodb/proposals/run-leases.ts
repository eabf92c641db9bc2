import type { RunLease, RunProgress } from "../../core/contract/run-lease.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { isDuplicateKey } from "../driver/errors.js";
import type { ExactCollection } from "../driver/exact-collection.js";

/** The kind of the documents that leases are kept in, among the records of a memory. */
export const leaseKind = "lease";

interface StoredLease extends RunProgress {
  _id: string;
  kind: typeof leaseKind;
  holder: string | null;
  until: Date;
  expiresAt?: Date;
}

/** A lease of one memory, for one call. */
interface LeaseContext {
  collection: Pick<ExactCollection<object>, "findOneAndUpdate" | "findOne">;
  address: CheckedAddress;
  /** Null for the memory itself, or a thread whose messages are read. */
  thread: string | null;
  /** How long the memory lives without a change, in ms. Null: always. */
  lifetimeMs: number | null;
  clock: () => Date;
  call: CallContext;
}

/** A lease is a document in the collection of proposals, so `forget` and expiry remove it too. */
export function createRunLease({ collection, address, thread, lifetimeMs, clock, call }: LeaseContext): RunLease {
  const { nodeId, scope, threadId, userId } = { threadId: null, userId: null, ...address };
  const owner = [nodeId, scope, threadId, userId, ...(thread === null ? [] : [thread])];
  const _id = `${leaseKind}-${hashSha256(JSON.stringify(owner))}`;
  const later = (ms: number): Date => new Date(clock().getTime() + ms);
  const swap = (filter: object, fields: object, upsert: boolean): Promise<StoredLease | null> => {
    // An id may begin with a dollar.
    const literals = Object.entries<unknown>({ ...fields }).map(([field, $literal]) => [field, { $literal }] as const);
    const options = { upsert, returnDocument: "after" } as const;
    const update = [{ $set: Object.fromEntries(literals) }];
    return collection.findOneAndUpdate<StoredLease>({ _id, ...filter }, update, call, options);
  };
  return {
    async take(runId, forMs) {
      const expiry = lifetimeMs === null ? {} : { expiresAt: later(lifetimeMs) };
      const fields = { ...address, kind: leaseKind, at: clock(), holder: runId, until: later(forMs), ...expiry };
      try {
        const taken = await swap({ until: { $lte: clock() } }, fields, true);
        return { bookmark: taken?.bookmark ?? null, lastRunId: taken?.lastRunId ?? null };
      } catch (error) {
        // Another run has the document.
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
    async renew(runId, forMs) {
      if ((await swap({ holder: runId, until: { $gt: clock() } }, { until: later(forMs) }, false)) !== null)
        return true;
      return (await collection.findOne({ _id }, call, { projection: { _id: 1 } })) === null ? null : false;
    },
    async release(runId, progress) {
      const fields = { holder: null, until: new Date(0), ...progress };
      return (await swap({ holder: runId }, fields, false)) !== null;
    },
  };
}
