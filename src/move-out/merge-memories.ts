import { z } from "zod";
import { addFilesTo, getAddSettings, isStoredAs, readFilesFrom, splitIntoBatches } from "../core/bulk.js";
import type { Memory, MemoryOutline } from "../core/memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { getInternals } from "../core/bind-memory.js";
import { lostRace, maxAttempts, pause } from "../core/runtime/lost-race.js";
import { checkOptions } from "../core/settings/check-options.js";
import type { AddedFile, DatedFile } from "../core/tree/add-files.js";
import type { SnapshotFile } from "../core/tree/snapshot.js";
import { catchRefusal, fileTooLarge, getReason, invalid, MemoryError, parentIsFile } from "../core/values/errors.js";
import {
  getCreationError,
  getName,
  getParent,
  getParents,
  getPathPrefix,
  maxPathChars,
  maxSegmentChars,
} from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import { getField } from "../core/values/unknown-values.js";

/** Options of {@link mergeMemories}. */
export interface MergeOptions {
  /** Only reports what would be done. @default false */
  dryRun?: boolean;
}

/** A file of the first memory, and the result of its merge. */
export interface MergedFile {
  path: string;
  /**
   * `equal`: the second memory has the text. `created`: the file was missing. `beside`: another text is at the path, so
   * the file is at `to`. `skipped`: the second memory refuses the file, for this `reason`.
   */
  result: "equal" | "created" | "beside" | "skipped";
  to?: string;
  reason?: string;
}

/** The results of a merge. With `dryRun`, the results that it would have. */
export interface MergeReport {
  /** Each file of the first memory, by path. */
  files: MergedFile[];
  /** The number of proposals that wait in the first memory. They stay there. */
  proposals: number;
  /** The revision of the first memory that was merged, as in a `MemorySnapshot`. */
  revision: number | null;
}

const optionsSchema = z.strictObject({ dryRun: z.boolean().default(false) });

/**
 * Adds the files of a memory to another one, with their times, and deletes nothing. An equal file stays once. A missing
 * file is written. A different file is put beside: `/note-merged.md`. Call it again after an interruption, or when the
 * first memory has changed: what is there already is not added twice.
 * @throws TypeError for bad arguments; EINVAL if both are the same memory; EIO, ENOSPC
 */
export async function mergeMemories(from: Memory, into: Memory, options: MergeOptions = {}): Promise<MergeReport> {
  assertMemory(from, "mergeMemories: the first memory");
  assertMemory(into, "mergeMemories: the second memory");
  const { dryRun } = checkOptions("MergeOptions", optionsSchema, options);
  if (isSameMemory(from, into)) throw invalid("a memory cannot be merged into itself");
  const { files, revision } = await from.outline();
  const context = { into, known: getPaths(await into.outline()), dryRun };
  const merged: MergedFile[] = [];
  for (const batch of splitIntoBatches(files, ({ sizeBytes }) => sizeBytes)) {
    const texts = await readFilesFrom(
      from,
      batch.map(({ path }) => path),
    );
    merged.push(...(await mergeBatch(context, [...texts.values()])));
  }
  return { files: merged, proposals: await countProposals(from), revision };
}

interface MergeContext {
  into: Memory;
  /** The paths of the second memory, and those that it gets. */
  known: Map<string, "file" | "dir">;
  dryRun: boolean;
}

/** The paths of the second memory, so that missing files need no read. */
function getPaths({ files, directories }: MemoryOutline): Map<string, "file" | "dir"> {
  return new Map([
    ...directories.map((path) => [path, "dir"] as const),
    ...files.map(({ path }) => [path, "file"] as const),
  ]);
}

/** Merges files in one change. Tries again with those at whose paths another program has written meanwhile. */
async function mergeBatch(context: MergeContext, files: readonly SnapshotFile[]): Promise<MergedFile[]> {
  const results = new Map<string, MergedFile>();
  let waiting = files;
  for (let attempt = 0; attempt < maxAttempts && waiting.length > 0; attempt += 1) {
    if (attempt > 0) await pause(attempt);
    const planned = await planFiles(context, waiting);
    const added = planned.filter(({ file }) => file !== null);
    const outcomes = await addToMemory(
      context,
      added.map(({ file }) => file as DatedFile),
    );
    const lost = new Set<string>();
    for (const { result, file } of planned) {
      const outcome = file === null ? "unchanged" : (outcomes.get(file.path) ?? null);
      if (outcome === null || (MemoryError.isInstance(outcome) && outcome.code === "EEXIST")) lost.add(result.path);
      else if (!MemoryError.isInstance(outcome)) results.set(result.path, result);
      else results.set(result.path, { path: result.path, result: "skipped", reason: getReason(outcome) });
    }
    waiting = waiting.filter(({ path }) => lost.has(path));
  }
  if (waiting.length > 0) throw lostRace();
  return files.flatMap(({ path }) => results.get(path) ?? []);
}

interface PlannedFile {
  result: MergedFile;
  /** Null if nothing is written. */
  file: DatedFile | null;
}

/** Finds the place of each file: its own path, or the first one beside it that has no other text. */
async function planFiles({ into, known }: MergeContext, files: readonly SnapshotFile[]): Promise<PlannedFile[]> {
  const { maxFileBytes } = getAddSettings(into);
  const isFile = (path: string): boolean => known.get(path) === "file";
  const texts = new Map<string, string | undefined>();
  const read = async (paths: readonly string[]): Promise<void> => {
    const found = await readFilesFrom(into, paths);
    for (const path of paths) texts.set(path, found.get(path)?.content);
  };
  await read(files.map(({ path }) => path).filter(isFile));
  const plan = async ({ path, content, sizeBytes, createdAt, updatedAt }: SnapshotFile): Promise<PlannedFile> => {
    const skip = (error: MemoryError): PlannedFile => ({
      result: { path, result: "skipped", reason: getReason(error) },
      file: null,
    });
    if (getParents(path).some(isFile)) return skip(parentIsFile());
    for (let number = 0; ; number += 1) {
      const target = number === 0 ? path : getPathBeside(path, number);
      const to = number === 0 ? {} : { to: target };
      if (known.get(target) === "dir") continue;
      if (isFile(target) && !texts.has(target)) await read([target]);
      const present = texts.get(target);
      if (present !== undefined) {
        // The file is written beside if a guard refuses it here, and the reason is reported then.
        const isEqual = await catchRefusal(isStoredAs(into, { path: target, content }, present));
        if (isEqual === true) return { result: { path, result: "equal", ...to }, file: null };
        continue;
      }
      const fault = getCreationError(target, into.paths);
      if (fault !== null) return skip(fault);
      if (sizeBytes > maxFileBytes) return skip(fileTooLarge(sizeBytes, maxFileBytes));
      known.set(target, "file");
      texts.set(target, content);
      const result = { path, result: number === 0 ? "created" : "beside", ...to } as const;
      return { result, file: { path: target, content, createdAt, updatedAt, ifExists: "fail" } };
    }
  };
  const planned: PlannedFile[] = [];
  for (const file of files) planned.push(await plan(file));
  return planned;
}

/** @returns what became of each file, or nothing if another change came first */
async function addToMemory(
  { into, dryRun }: MergeContext,
  files: readonly DatedFile[],
): Promise<Map<string, AddedFile>> {
  if (dryRun || files.length === 0) return new Map(files.map(({ path }) => [path, "written"]));
  const results = (await catchRefusal(addFilesTo(into, files), "ECONFLICT")) ?? [];
  return new Map(
    files.flatMap(({ path }, index) => {
      const result = results[index];
      return result === undefined ? [] : [[path, result] as const];
    }),
  );
}

/**
 * Returns `/a/note-merged.md` for `/a/note.md`, then `/a/note-merged-2.md`. It names no owner of the other memory,
 * because forgetting that owner would leave the name. Every rule of paths allows it.
 */
function getPathBeside(path: string, number: number): string {
  const directory = getPathPrefix(getParent(path));
  const name = getName(path);
  const dot = name.lastIndexOf(".") > 0 ? name.lastIndexOf(".") : name.length;
  const ending = `-merged${number === 1 ? "" : `-${number}`}${name.slice(dot)}`;
  const room = Math.min(maxSegmentChars, maxPathChars - directory.length) - ending.length;
  return directory + takeStart(name.slice(0, dot), Math.max(room, 0)) + ending;
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
  const { storage } = getInternals(memory);
  return getField(getField(storage, "features"), "storage") ?? storage;
}
