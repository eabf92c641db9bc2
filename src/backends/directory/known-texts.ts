import type { Stats } from "node:fs";
import { join } from "node:path";
import type { MemoryError } from "../../core/values/errors.js";
import type { Place } from "./folder.js";
import { readFileText } from "./read-file.js";

/** Longer than one tick of the clock of any file system. */
const settledMs = 2_500;

const maxKnownBytes = 16_000_000;

/** The approximate size of an entry without its text. */
const entryBytes = 400;

interface KnownText {
  text: string;
  /** The identity, size and times of the file before it was read. */
  seen: string;
  sizeBytes: number;
}

/** The cached texts of all folders of this process, by absolute path. The last used is last. */
const known = new Map<string, KnownText>();
let knownBytes = 0;

/**
 * Returns the cached text of a file if the file is unchanged, and otherwise calls `readFileText`. A text is cached only
 * if its file was last changed long before the read: another change within the same tick of the clock would leave the
 * same times. No program can set `ctime`, so a program that sets `mtime` back is noticed too.
 */
export async function readCurrentText(place: Place, stats: Stats): Promise<string | MemoryError | null> {
  const path = join(place.parent.path, place.name);
  const seen = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
  const entry = forget(path);
  if (entry?.seen === seen) {
    // This makes the entry the last used one, which stays longest.
    keep(path, entry);
    return entry.text;
  }
  const isSettled = Date.now() - Math.max(stats.ctimeMs, stats.mtimeMs) > settledMs;
  const text = await readFileText(place, stats);
  if (isSettled && typeof text === "string") keep(path, { text, seen, sizeBytes: entryBytes + stats.size });
  return text;
}

function forget(path: string): KnownText | undefined {
  const entry = known.get(path);
  known.delete(path);
  knownBytes -= entry?.sizeBytes ?? 0;
  return entry;
}

function keep(path: string, entry: KnownText): void {
  // Another call may have cached this path meanwhile.
  forget(path);
  known.set(path, entry);
  knownBytes += entry.sizeBytes;
  for (const oldest of known.keys()) {
    if (knownBytes <= maxKnownBytes) return;
    forget(oldest);
  }
}
