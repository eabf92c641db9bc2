import { z } from "zod";
import { patternField } from "../core/access/policy.js";
import { splitIntoBatches } from "../core/bulk.js";
import type { Memory, MemoryOutline } from "../core/memory.js";
import { checkMemory } from "../core/mounts/mounts.js";
import { openWithoutRules } from "../core/restrictable-memory.js";
import { lostRace, maxAttempts, pause } from "../core/runtime/lost-race.js";
import { checkOptions } from "../core/settings/check-options.js";
import { getReason, invalid, MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import { compilePathPattern } from "../core/values/path-pattern.js";
import { ROOT } from "../core/values/paths.js";
import { getField } from "../core/values/unknown-values.js";
import { mergeBatch } from "./merge-batch.js";
import { type MergedFile, mergeFile, readSteps } from "./merge-file.js";

/** Options of {@link mergeMemories}. */
export interface MergeOptions {
  /**
   * Paths of files whose text is added to the end of a different file at the same path, as in a `MemoryRule`. All other
   * different files are put beside it.
   * @default none
   */
  append?: string[];
  /** Only reports what would be done. @default false */
  dryRun?: boolean;
}

/** What a merge did, or would do. */
export interface MergeReport {
  /** Each file of the first memory, by path. */
  files: MergedFile[];
  /** How many proposals wait in the first memory. They stay there. */
  proposals: number;
  /** The revision of the first memory that was merged, as in a `MemorySnapshot`. */
  revision: number | null;
}

const optionsSchema = z
  .object({ append: z.array(patternField).default([]), dryRun: z.boolean().default(false) })
  .strict();

/**
 * Adds the files of a memory to another one, and deletes nothing. An equal file stays once. A missing file comes with
 * its kept versions, each by its author. A different file is put beside: `/note-merged.md`. Call it again after an
 * interruption, or when the first memory has changed: what is there already is not added twice.
 * @throws TypeError for bad options; EINVAL if both are the same memory; EIO, ENOSPC
 */
export async function mergeMemories(from: Memory, into: Memory, options: MergeOptions = {}): Promise<MergeReport> {
  const { append, dryRun } = checkOptions("MergeOptions", optionsSchema, options);
  checkMemory(from, "mergeMemories: from");
  checkMemory(into, "mergeMemories: into");
  if (isSameMemory(from, into)) throw invalid("a memory cannot be merged into itself");
  const patterns = append.map(compilePathPattern);
  const { files, revision } = await from.outline();
  const steps = await readSteps(
    from,
    files.map(({ path }) => path),
  );
  const context = { from, into, known: getPaths(await into.outline()), steps, dryRun };
  const merged: MergedFile[] = [];
  for (const batch of splitIntoBatches(files, ({ sizeBytes }) => sizeBytes)) {
    const paths = batch.map(({ path }) => path);
    const results = await mergeBatch(context, paths);
    for (const path of paths) {
      const result = results.get(path);
      const appends = patterns.some((fits) => fits(path));
      const file = result ? { path, result } : await mergeInTurn(path, () => mergeFile(context, path, appends));
      if (file !== null) merged.push(file);
    }
  }
  return { files: merged, proposals: await countProposals(from), revision };
}

/** The paths of the second memory, so that missing files need no read. */
function getPaths({ files, directories }: MemoryOutline): Map<string, "file" | "dir"> {
  return new Map([
    ...directories.map((path) => [path, "dir"] as const),
    ...files.map(({ path }) => [path, "file"] as const),
  ]);
}

const racing: readonly MemoryErrorCode[] = ["EEXIST", "ECONFLICT", "ENOENT"];
const fatal: readonly MemoryErrorCode[] = ["EIO", "ENOSPC"];

/** Tries again if another program changed the second memory. @returns null if the file is gone */
async function mergeInTurn(path: string, run: () => Promise<MergedFile | null>): Promise<MergedFile | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!MemoryError.isInstance(error) || fatal.includes(error.code)) throw error;
      if (!racing.includes(error.code)) return { path, result: "skipped", reason: getReason(error) };
    }
    await pause(attempt);
  }
  throw lostRace();
}

async function countProposals({ proposals }: Memory): Promise<number> {
  let count = 0;
  for await (const _ of proposals?.list() ?? []) count += 1;
  return count;
}

/** Programs can open one memory several times, so the storages are compared. */
function isSameMemory(one: Memory, other: Memory): boolean {
  const isSameAddress = JSON.stringify(one.address) === JSON.stringify(other.address);
  return one === other || (isSameAddress && getStorage(one) === getStorage(other));
}

function getStorage(memory: Memory): unknown {
  const { storage } = openWithoutRules(memory, ROOT);
  return getField(getField(storage, "features"), "storage") ?? storage;
}
