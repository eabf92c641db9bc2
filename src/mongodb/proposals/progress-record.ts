import { randomUUID } from "node:crypto";
import type { LearnProgress, ProgressRecord } from "../../core/contract/learn-progress.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { literals } from "../driver/records.js";
import { progressKind, type RecordCollection } from "./record-collection.js";

interface StoredProgress extends LearnProgress {
  _id: string;
  salt: string;
  kind: typeof progressKind;
}

/** The progress of one memory, for one call. */
interface ProgressContext {
  records: RecordCollection;
  address: CheckedAddress;
  /** Null for the memory itself, or a thread whose messages are read. */
  thread: string | null;
  /** The time that the memory lives without a change, in ms. Null: always. */
  lifetimeMs: number | null;
  clock: () => Date;
  call: CallContext;
}

/** The progress is a document in the collection of proposals, so `forget` and expiry remove it too. */
export function createProgressRecord(context: ProgressContext): ProgressRecord {
  const { records, address, thread, lifetimeMs, clock, call } = context;
  const { nodeId, scope, threadId, userId } = { threadId: null, userId: null, ...address };
  const owner = [nodeId, scope, threadId, userId, ...(thread === null ? [] : [thread])];
  const _id = `${progressKind}-${hashSha256(JSON.stringify(owner))}`;
  return {
    open: () =>
      records.create(async (collection) => {
        const expiry = lifetimeMs === null ? {} : { expiresAt: new Date(clock().getTime() + lifetimeMs) };
        const kept = {
          bookmark: { $ifNull: ["$bookmark", null] },
          lastRunId: { $ifNull: ["$lastRunId", null] },
          salt: { $ifNull: ["$salt", randomUUID()] },
        };
        const update = [{ $set: { ...literals({ ...address, kind: progressKind, at: clock(), ...expiry }), ...kept } }];
        const options = { upsert: true, returnDocument: "after" } as const;
        const stored = await collection.findOneAndUpdate<StoredProgress>({ _id }, update, call, options);
        return { ...pickProgress(stored), salt: stored?.salt ?? "" };
      }),
    read: () =>
      records.read(async (collection) => {
        const found = await collection.findOne<StoredProgress>({ _id }, call);
        return found && pickProgress(found);
      }),
    advance: ({ bookmark }, after) =>
      records.write(async (collection) => {
        await collection.findOneAndUpdate({ _id, bookmark }, [{ $set: literals(after) }], call, {});
      }),
  };
}

function pickProgress(stored: StoredProgress | null): LearnProgress {
  return { bookmark: stored?.bookmark ?? null, lastRunId: stored?.lastRunId ?? null };
}
