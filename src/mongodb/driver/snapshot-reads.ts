import type { ClientSession, MongoClient } from "mongodb";
import { maxAttempts, pause } from "../../core/runtime/lost-race.js";
import { getField } from "../../core/values/unknown-values.js";

/**
 * SnapshotUnavailable, which occurs while an index is built; SnapshotTooOld; StaleChunkHistory.
 */
const goneCodes = new Set<unknown>([246, 239, 250]);

/** Makes a find or an aggregation read one snapshot, however many documents it reads. */
export const snapshotConcern = { readConcern: { level: "snapshot" } } as const;

/** The options of a command that reads the snapshot of a session. */
export type SnapshotOptions = typeof snapshotConcern & { session: ClientSession };

/** Runs several commands in one snapshot. Each needs the options. */
export async function inSnapshot<T>(client: MongoClient, read: (moment: SnapshotOptions) => Promise<T>): Promise<T> {
  const session = client.startSession({ snapshot: true });
  try {
    // A read concern of the database would take the place of the session's.
    return await read({ session, ...snapshotConcern });
  } finally {
    await session.endSession();
  }
}

/** Runs a read of one snapshot. `read` may run again from the start. */
export async function retrySnapshot<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (attempt >= maxAttempts || !isMomentGone(error)) throw error;
    }
    await pause(attempt);
  }
}

/**
 * Whether the server cannot read this snapshot, or not any more: it keeps each for `minSnapshotHistoryWindowInSeconds`,
 * 300 by default.
 */
function isMomentGone(error: unknown): boolean {
  return goneCodes.has(getField(error, "code"));
}
