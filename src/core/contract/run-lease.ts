/** The state that earlier runs of a background program have left for a memory. It is erased with the memory. */
export interface RunProgress {
  /**
   * The place up to which a good run has read: a version of the history, or messages of a thread. Null before the
   * first.
   */
  bookmark: string | null;
  /** The last good run. */
  lastRunId: string | null;
}

/** Lets one run at a time work on a memory. */
export interface RunLease {
  /** Begins to work, unless another run works. @returns the progress of earlier runs, or null if another run works */
  take(runId: string, forMs: number): Promise<RunProgress | null>;
  /** @returns false if the lease has ended, and another run may work; null if the memory is forgotten */
  renew(runId: string, forMs: number): Promise<boolean | null>;
  /** Ends the work. @param progress undefined if it failed: everything stays as it was */
  release(runId: string, progress?: RunProgress): Promise<boolean>;
}
