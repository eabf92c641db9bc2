import { z } from "zod";
import { checkOptions, countField, maxTimeoutMs, signalField } from "../settings/check-options.js";

/**
 * A change of a file or a directory since the watch last reported it. A rename is reported as deleted at one path and
 * created at another.
 */
export interface MemoryChange {
  path: string;
  kind: "file" | "dir";
  /** A file is modified if it has another text. A directory is never modified. */
  operation: "created" | "modified" | "deleted";
}

/** The settings of a watch. */
export interface WatchOptions {
  /** Ends the watch. */
  signal?: AbortSignal | undefined;
  /**
   * Interval in ms between polls of the storage, if the storage does not report changes by itself. Also the wait after
   * a failure of the storage. @default 2000
   */
  pollIntervalMs?: number | undefined;
}

/** The changes of a memory, one by one. The iterator does not end by itself. */
export interface MemoryChanges extends AsyncIterableIterator<MemoryChange, undefined> {
  /**
   * Resolves when the watch has begun. From then on the watch misses no change. Rejects with the error of the first
   * `next`.
   */
  readonly ready: Promise<void>;
  /** Ends the watch, also while `next` waits. */
  return(): Promise<IteratorResult<MemoryChange, undefined>>;
}

const watchOptionsSchema = z.strictObject({
  signal: signalField.optional(),
  pollIntervalMs: countField.max(maxTimeoutMs).default(2000),
});

export type CheckedWatchOptions = z.output<typeof watchOptionsSchema>;

/** @throws TypeError */
export function checkWatchOptions(options: WatchOptions): CheckedWatchOptions {
  return checkOptions("WatchOptions", watchOptionsSchema, options);
}
