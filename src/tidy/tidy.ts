import { randomUUID } from "node:crypto";
import { z } from "zod";
import { patternField } from "../core/access/policy.js";
import type { Memory, MemorySnapshot } from "../core/memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { runInTurns, type Steps } from "../core/runtime/turns.js";
import { checkOptions, countField, signalField } from "../core/settings/check-options.js";
import { compilePathPatterns } from "../core/values/path-pattern.js";
import { checks } from "./checks.js";
import { findMountPoints } from "./mount-points.js";
import type { TidyFinding, TidyScope } from "./finding.js";
import { type ExaminedFile, proposeRemedies } from "./propose-remedies.js";

/** Options of {@link tidy}. */
export interface TidyOptions {
  /**
   * Paths that are not examined, as in a `MemoryRule`. @default the directories `conversations` and `archive`
   */
  ignore?: string[];
  /** A file with more characters is `large`. @default 4000, as a connector shows */
  maxChars?: number;
  /**
   * Whether to propose the remedies, one proposal for each file, and one for each new file where a large one is split.
   * All have the same `runId`. A remedy is proposed once for the same state of a file. Needs a MongoMemoryStore.
   * @default false
   */
  propose?: boolean;
  signal?: AbortSignal;
}

const defaultIgnored = ["/**/conversations/**", "/**/archive/**"];

const optionsSchema = z.strictObject({
  ignore: z.array(patternField).default(defaultIgnored),
  maxChars: countField.default(4000),
  propose: z.boolean().default(false),
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
  const { ignore, maxChars, propose, signal } = checkOptions("TidyOptions", optionsSchema, options);
  const opened = signal === undefined ? memory : memory.with({ signal });
  const snapshot = await opened.snapshot();
  const turns = signal ?? null;
  const paths = new Set([...snapshot.directories, ...snapshot.files.map(({ path }) => path)]);
  const getPoint = findMountPoints(opened);
  const scope = { paths, maxChars, at: new Date() };
  const files = await runInTurns(examineFiles(snapshot, scope, getPoint, compilePathPatterns(ignore)), turns);
  if (propose) {
    const actor = { client: "tidy", runId: randomUUID() };
    await proposeRemedies(opened, files, { actor, maxChars, paths, getPoint, signal: turns });
  }
  return files.flatMap(({ found }) => found.map(({ finding }) => finding));
}

/** Examines each mounted memory by itself: others may see one without the other. */
function* examineFiles(
  { files }: MemorySnapshot,
  scope: Omit<TidyScope, "point" | "files">,
  getPoint: (path: string) => string,
  isIgnored: (path: string) => boolean,
): Steps<ExaminedFile[]> {
  const memories = new Map<string, string[]>();
  for (const { path } of files) {
    yield;
    const point = getPoint(path);
    const others = memories.get(point);
    if (others === undefined) memories.set(point, [path]);
    else others.push(path);
  }
  const running = new Map(
    Array.from(memories, ([point, paths]) => [point, checks.map((check) => check({ ...scope, point, files: paths }))]),
  );
  const examined: ExaminedFile[] = [];
  for (const file of files) {
    yield;
    if (isIgnored(file.path)) continue;
    const found: ExaminedFile["found"] = [];
    for (const examine of running.get(getPoint(file.path)) ?? [])
      for (const { edit, ...finding } of yield* examine(file))
        found.push({ finding: { ...finding, path: file.path }, edit });
    if (found.length > 0) examined.push({ file, found });
  }
  return examined;
}
