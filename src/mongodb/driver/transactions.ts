import type { ClientSession, MongoClient } from "mongodb";
import { lostRace, maxAttempts, pause } from "../../core/runtime/lost-race.js";
import type { CallContext } from "../../core/runtime/call.js";
import { markHarmless } from "./errors.js";
import { callMethod, getField } from "../../core/values/unknown-values.js";
import { acknowledgedByMajority } from "./client.js";

/** The most attempts of a transaction or its commit after broken connections. The driver selects a server each time. */
const maxBrokenAttempts = 3;

const settings = {
  readConcern: { level: "snapshot" },
  writeConcern: acknowledgedByMajority,
  readPreference: "primary",
} as const;

/**
 * Makes all commands of `run` with the session in one step. `run` may run again: if another change came first, or if
 * the connection broke before the commit, because then nothing was changed. After the commit was requested, only the
 * commit is repeated, which the server makes once (architecture invariant 4).
 *
 * @throws what `run` throws, and then nothing was changed; ECONFLICT; and what the driver throws for the commit
 */
export async function inTransaction<T>(
  client: MongoClient,
  call: CallContext,
  run: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = client.startSession();
  let brokenAttempts = 0;
  try {
    for (let attempt = 0; mayTry(attempt, call); attempt += 1) {
      call.throwIfAborted();
      session.startTransaction(settings);
      try {
        const answer = await runBeforeCommit(run, session, call);
        await commit(session, call);
        return answer;
      } catch (error) {
        if (session.inTransaction()) await abort(session);
        if (!hasLabel(error, "TransientTransactionError")) throw error;
        if (isBroken(error) && (brokenAttempts += 1) === maxBrokenAttempts) throw error;
      }
      await pause(attempt);
    }
    throw lostRace();
  } finally {
    await session.endSession();
  }
}

async function runBeforeCommit<T>(
  run: (session: ClientSession) => Promise<T>,
  session: ClientSession,
  call: CallContext,
): Promise<T> {
  try {
    const answer = await run(session);
    call.throwIfAborted();
    return answer;
  } catch (error) {
    markHarmless(error);
    throw error;
  }
}

/**
 * Allows attempts until the deadline of the caller. Reason: the server keeps the transaction of a dead process for up
 * to a minute.
 */
function mayTry(attempt: number, call: CallContext): boolean {
  return attempt < maxAttempts || call.timeoutMs !== Infinity;
}

async function commit(session: ClientSession, call: CallContext): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!hasLabel(error, "UnknownTransactionCommitResult") || attempt === maxBrokenAttempts || call.aborted)
        throw error;
    }
  }
}

/** Ignores errors, because the server ends an unfinished transaction by itself. */
async function abort(session: ClientSession): Promise<void> {
  await session.abortTransaction().catch(() => undefined);
}

/**
 * Whether the driver has labelled the error. The shape of the error is read, not its class, because another copy of
 * `mongodb` may have thrown it.
 */
function hasLabel(error: unknown, label: string): boolean {
  return callMethod(error, "hasErrorLabel", label) === true;
}

/** Whether the server has not answered. An answer of the server has a code, and means a race. */
function isBroken(error: unknown): boolean {
  return typeof getField(error, "code") !== "number";
}
