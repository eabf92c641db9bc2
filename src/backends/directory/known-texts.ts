import type { Stats } from "node:fs";
import { join } from "node:path";
import type { MemoryError } from "../../core/values/errors.js";
import type { Place } from "./folder.js";
import { readFileText } from "./read-file.js";

/** Longer than the clock of any file system takes for one tick. */
const settledMs = 2_500;

const maxKnownBytes = 16_000_000;

/** About what an entry takes beside its text. */
const entryBytes = 400;

interface KnownText {
  text: string;
  /** What was seen of the file before it was read. */
  seen: string;
  sizeBytes: number;
}

/** Of all folders of this process, by absolute path. */
const known = new Map<string, KnownText>();
let knownBytes = 0;

/**
 * As `readFileText`, which it asks only if the file is not the one that was read last. A text is kept only if its file
 * was last changed long before it was read: a further change within one tick of the clock would leave the same times.
 * Nobody can set `ctime`, so a program that sets `mtime` back is noticed, too.
 */
export async function readCurrentText(place: Place, stats: Stats): Promise<string | MemoryError | null> {
  const path = join(place.parent.path, place.name);
  const seen = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
  const entry = forget(path);
  if (entry?.seen === seen) {
    // The last one used stays longest.
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
  // Another call may have come first.
  forget(path);
  known.set(path, entry);
  knownBytes += entry.sizeBytes;
  for (const oldest of known.keys()) {
    if (knownBytes <= maxKnownBytes) return;
    forget(oldest);
  }
}
