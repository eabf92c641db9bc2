import type { ClientSession, MongoClient } from "mongodb";
import { maxAttempts, pause } from "../../core/runtime/lost-race.js";
import { getField } from "../../core/values/unknown-values.js";

/** SnapshotUnavailable, as while an index is made; SnapshotTooOld; and its kin of migrated chunks. */
const goneCodes = new Set<unknown>([246, 239, 250]);

/** For a find or an aggregation whose answer is of one moment, however many documents it reads. */
export const atOneMoment = { readConcern: { level: "snapshot" } } as const;

/** Several commands of one moment. */
export async function inSnapshot<T>(client: MongoClient, read: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = client.startSession({ snapshot: true });
  try {
    return await read(session);
  } finally {
    await session.endSession();
  }
}

/** Reads at one moment. `read` may run again, and then from the start. */
export async function readAtOneMoment<T>(read: () => Promise<T>): Promise<T> {
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
 * Whether the server cannot read at a moment, or no longer: it keeps each for `minSnapshotHistoryWindowInSeconds`, 300
 * by default.
 */
export function isMomentGone(error: unknown): boolean {
  return goneCodes.has(getField(error, "code"));
}
