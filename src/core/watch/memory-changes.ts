import { z } from "zod";
import { checkOptions, isSignal, maxTimeoutMs } from "../settings/check-options.js";

/**
 * A change of a file or a directory since the watch last reported it. A renamed one is deleted at one path and created
 * at another.
 */
export interface MemoryChange {
  path: string;
  kind: "file" | "dir";
  /** A file is modified if it has another text. A directory is never modified. */
  operation: "created" | "modified" | "deleted";
}

/** How a memory is watched. */
export interface WatchOptions {
  /** Ends the watch. */
  signal?: AbortSignal | undefined;
  /**
   * How often to ask the storage for changes, in ms, if it does not report them by itself. Also how long to wait after
   * the storage has failed. @default 2000
   */
  pollIntervalMs?: number | undefined;
}

/** The changes of a memory, one by one. It does not end by itself. */
export interface MemoryChanges extends AsyncIterableIterator<MemoryChange, undefined> {
  /**
   * Resolves when the watch has begun: from then on it misses no change. Rejects with the error of the first `next`.
   */
  readonly ready: Promise<void>;
  /** Ends the watch, also while `next` waits. */
  return(): Promise<IteratorResult<MemoryChange, undefined>>;
}

const watchOptionsSchema = z
  .object({
    signal: z.custom<AbortSignal>(isSignal, "must be an AbortSignal").optional(),
    pollIntervalMs: z.number().int().min(1).max(maxTimeoutMs).default(2000),
  })
  .strict();

export type CheckedWatchOptions = z.output<typeof watchOptionsSchema>;

/** @throws TypeError */
export function checkWatchOptions(options: WatchOptions): CheckedWatchOptions {
  return checkOptions("WatchOptions", watchOptionsSchema, options);
}
