import { randomUUID } from "node:crypto";
import type { RunLease, RunProgress } from "../core/contract/run-lease.js";

const leaseMs = 120_000;

/** A lease while its work goes on. */
export interface HeldLease {
  progress: RunProgress;
  /** @returns false if the lease has ended, and another run may work; null if the memory is forgotten */
  renew: () => Promise<boolean | null>;
}

/** What a run has done. */
export interface LeasedWork<Result> {
  result: Result;
  /** Undefined: everything stays as it was. */
  progress?: RunProgress | undefined;
}

/** Works while no other run does, and keeps the progress of good work. @returns null if another run works */
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
      // A run that has failed reports its own error.
      if (done !== undefined) throw error;
    });
  }
}
