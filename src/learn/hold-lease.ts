import { randomUUID } from "node:crypto";
import type { RunLease, RunProgress } from "../core/contract/run-lease.js";

const leaseMs = 120_000;

/** A lease during its work. */
export interface HeldLease {
  progress: RunProgress;
  /** @returns false if the lease has ended, and another run may work; null if the memory is forgotten */
  renew: () => Promise<boolean | null>;
}

/** The result of leased work. */
export interface LeasedWork<Result> {
  result: Result;
  /** Kept for the next run. Undefined: the old progress stays. */
  progress?: RunProgress | undefined;
}

/** Works under a lease, and keeps the progress. @returns null if another run has the lease */
export async function holdLease<Result>(
  lease: RunLease,
  work: (held: HeldLease) => Promise<LeasedWork<Result>>,
): Promise<Result | null> {
  const holder = randomUUID();
  const progress = await lease.take(holder, leaseMs);
  if (progress === null) return null;
  const renew = (): Promise<boolean | null> => lease.renew(holder, leaseMs);
  const renewal = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  renewal.unref();
  let done: RunProgress | undefined;
  try {
    const worked = await work({ progress, renew });
    done = worked.progress;
    return worked.result;
  } finally {
    clearInterval(renewal);
    await lease.release(holder, done).catch((error: unknown) => {
      // If the work has failed, the caller gets the error of the work.
      if (done !== undefined) throw error;
    });
  }
}
