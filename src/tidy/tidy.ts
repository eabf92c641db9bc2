import { z } from "zod";
import { patternField } from "../core/access/policy.js";
import type { Memory, MemorySnapshot } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { runInTimeSlices, type Steps } from "../core/runtime/time-slices.js";
import { checkOptions, countField, signalField } from "../core/settings/check-options.js";
import { compilePathPatterns } from "../core/values/path-pattern.js";
import { isWithin, joinPaths, ROOT } from "../core/values/paths.js";
import { deadLinks } from "./checks/dead-links.js";
import { duplicates } from "./checks/duplicates.js";
import { emptyFiles } from "./checks/empty-files.js";
import { hiddenCharacters } from "./checks/hidden-characters.js";
import { largeFiles } from "./checks/large-files.js";
import { staleNotes } from "./checks/stale-notes.js";
import type { TidyCheck, TidyFinding, TidyScope } from "./finding.js";

/** Options of {@link tidy}. */
export interface TidyOptions {
  /**
   * Paths that are not examined, as in a `MemoryRule`. @default the directories `conversations` and `archive`
   */
  ignore?: string[];
  /** A file with more characters is `large`. @default 4000, as a connector shows */
  maxChars?: number;
  signal?: AbortSignal;
}

/** The checks in the order of their findings. */
const checks: readonly TidyCheck[] = [hiddenCharacters, emptyFiles, staleNotes, duplicates, deadLinks, largeFiles];

const defaultIgnored = ["/**/conversations/**", "/**/archive/**"];

const optionsSchema = z.strictObject({
  ignore: z.array(patternField).default(defaultIgnored),
  maxChars: countField.default(4000),
  signal: signalField.optional(),
});

/**
 * Finds defects of a memory without a model: duplicates, dead links, stale notes, empty and large files, hidden
 * characters. It changes nothing.
 * @returns the findings in the order of paths
 * @throws TypeError for bad options; the errors of a snapshot
 */
export async function tidy(memory: Memory, options: TidyOptions = {}): Promise<TidyFinding[]> {
  assertMemory(memory, "tidy: memory");
  const { ignore, maxChars, signal } = checkOptions("TidyOptions", optionsSchema, options);
  const opened = signal === undefined ? memory : memory.with({ signal });
  const snapshot = await opened.snapshot();
  const paths = new Set([...snapshot.directories, ...snapshot.files.map(({ path }) => path)]);
  const getPoint = findMountPoints(opened);
  const scope = { paths, maxChars, at: new Date() };
  return runInTimeSlices(examineFiles(snapshot, scope, getPoint, compilePathPatterns(ignore)), signal ?? null);
}

/** Examines each mounted memory by itself: others may see one without the other. */
function* examineFiles(
  { files }: MemorySnapshot,
  scope: Omit<TidyScope, "point">,
  getPoint: (path: string) => string,
  isIgnored: (path: string) => boolean,
): Steps<TidyFinding[]> {
  const running = new Map<string, ReturnType<TidyCheck>[]>();
  const findings: TidyFinding[] = [];
  for (const file of files) {
    yield;
    const { path } = file;
    if (isIgnored(path)) continue;
    const point = getPoint(path);
    const examining = running.get(point) ?? checks.map((check) => check({ ...scope, point }));
    running.set(point, examining);
    for (const examine of examining) {
      for (const found of yield* examine(file)) {
        yield;
        findings.push({ ...found, path });
      }
    }
  }
  return findings;
}

/** Returns a function that finds the point of the mounted memory to which a path belongs. "/" without mounts. */
function findMountPoints(memory: Memory): (path: string) => string {
  const points = listMountPoints(memory).toSorted((a, b) => b.length - a.length);
  return (path) => points.find((point) => isWithin(path, point)) ?? ROOT;
}

/** A mounted memory may be a tree itself. */
function listMountPoints(memory: Memory): string[] {
  const mounts = getMountTree(memory)?.mounts ?? [];
  return mounts.flatMap((mount) => [
    mount.point,
    ...listMountPoints(mount.memory).map((point) => joinPaths(mount.point, point)),
  ]);
}
