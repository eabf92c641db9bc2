import { getAddSettings } from "../core/bulk.js";
import type { MemoryVersion } from "../core/history/history.js";
import type { Memory } from "../core/memory.js";
import { bindMemory } from "../core/restrictable-memory.js";
import { readMarks } from "../core/search/log-parts.js";
import { baseChanged, catchRefusal, parentIsFile } from "../core/values/errors.js";
import type { VersionOrigin } from "../core/values/actor.js";
import { LiteralSearch } from "../core/values/literal-search.js";
import {
  getCreationError,
  getName,
  getParent,
  getParents,
  getPathPrefix,
  maxPathChars,
  maxSegmentChars,
} from "../core/values/paths.js";
import { hashSha256 } from "../core/values/sha256.js";
import { appendText, takeStart, utf8Bytes } from "../core/values/text.js";
import { mergeLogs } from "./merge-logs.js";

/** A file of the first memory, and the result of its merge. */
export interface MergedFile {
  path: string;
  /**
   * `equal`: the second memory has the text, or had it before. `created`: the file was missing. `updated`: the second
   * memory had an earlier text of the file. `beside`: another text is at the path, so the file is at `to`. `appended`:
   * the text was added to the other text, or the messages of a log to the other log. `skipped`: the second memory refuses the file, for this `reason`.
   */
  result: "equal" | "created" | "updated" | "beside" | "appended" | "skipped";
  to?: string;
  reason?: string;
}

export interface MergeContext {
  from: Memory;
  into: Memory;
  /** The paths of the second memory, and with `dryRun` those that it would get. */
  known: Map<string, "file" | "dir">;
  /** The texts of the first memory with their authors, by path. */
  steps: ReadonlyMap<string, readonly Step[]>;
  dryRun: boolean;
}

/** A text that the file has had, with its author. */
export interface Step extends Pick<MemoryVersion, "sha256" | "actor"> {
  /** Null for a present text that no version has. */
  id: string | null;
  /** The origin of a learnt text, without versions: an id names another version in the second memory. */
  origin?: VersionOrigin;
}

/**
 * @param appends whether a different text is added to the other text
 * @returns null if the file is gone
 * @throws EEXIST, ECONFLICT, ENOENT if another program changed the second memory; the refusals of the second memory
 */
export async function mergeFile(context: MergeContext, path: string, appends: boolean): Promise<MergedFile | null> {
  const { from, into, known, dryRun } = context;
  const content = await readOrNull(from, path);
  if (content === null) return null;
  const sha256 = hashSha256(content);
  const steps = listSteps(context, path, sha256);
  if (isBelowFile(context, path)) throw parentIsFile();
  for (let number = 0; ; number += 1) {
    const target = number === 0 ? path : getPathBeside(path, number);
    const to = number === 0 ? {} : { to: target };
    if (known.get(target) === "dir") continue;
    const present = known.has(target) ? await readOrNull(into, target) : null;
    // It would get another file of the first memory.
    if (present === null && known.has(target) && dryRun) continue;
    const replay = (index: number): Promise<void> =>
      replaySteps(context, { path: target, present, steps: steps.slice(index), content });
    if (present === null) {
      const fault = getCreationError(target, into.paths);
      if (fault !== null) throw fault;
      await replay(0);
      return { path, result: number === 0 ? "created" : "beside", ...to };
    }
    if (present === content || (await hasHad(into, target, sha256))) return { path, result: "equal", ...to };
    const index = findStep(steps, present);
    if (index !== -1) {
      await replay(index + 1);
      return { path, result: "updated", ...to };
    }
    const merged = mergeLogs(present, content);
    if (merged !== null && utf8Bytes(merged) <= getAddSettings(into).maxFileBytes) {
      if (merged !== present) await replayLog(context, { path: target, present, steps, content });
      return { path, result: merged === present ? "equal" : "appended", ...to };
    }
    if (appends) return { path, result: await appendStep(context, path, content, steps.at(-1)) };
  }
}

/** Lists the texts that a file has had, up to its present text. */
export function listSteps({ steps }: MergeContext, path: string, sha256: string): readonly Step[] {
  const kept = steps.get(path) ?? [];
  return kept.at(-1)?.sha256 === sha256 ? kept : [...kept, { id: null, sha256, actor: null }];
}

export function isBelowFile({ known }: MergeContext, path: string): boolean {
  return getParents(path).some((parent) => known.get(parent) === "file");
}

/**
 * Reads who wrote the kept texts of files, in one pass: for each present path, oldest first. It keeps no texts.
 * @param paths of all files of the memory
 */
export async function readSteps({ history }: Memory, paths: readonly string[]): Promise<Map<string, Step[]>> {
  const found = new Map(paths.map((path): [string, Step[]] => [path, []]));
  // The steps of each file by the name that the file had.
  const names = new Map(found);
  for await (const { id, path, from, operation, sha256, actor, ...facts } of history?.list() ?? []) {
    const steps = names.get(path);
    if (steps === undefined) continue;
    // A rename leaves the text of the version before it, whose author wrote the text.
    if (sha256 !== null && sha256 === steps.at(-1)?.sha256) steps.pop();
    if (sha256 !== null) steps.push({ id, sha256, actor, ...getOrigin(facts) });
    // Before it was created, or deleted, it was another file.
    if (operation !== "modified") names.delete(path);
    if (from !== undefined) names.set(from, steps);
  }
  for (const steps of found.values()) steps.reverse();
  return found;
}

function getOrigin({ sources, trust }: Partial<VersionOrigin>): Pick<Step, "origin"> {
  if (sources === undefined || trust === undefined) return {};
  return { origin: { sources: sources.filter((source) => !source.startsWith("version:")), trust } };
}

function findStep(steps: readonly Step[], text: string): number {
  const sha256 = hashSha256(text);
  return steps.findLastIndex((step) => step.sha256 === sha256);
}

async function hasHad({ history }: Memory, path: string, sha256: string): Promise<boolean> {
  for await (const version of history?.list({ path }) ?? []) if (version.sha256 === sha256) return true;
  return false;
}

interface Replay {
  path: string;
  present: string | null;
  steps: readonly Step[];
  /** The text of the last step. */
  content: string;
}

/**
 * Makes the steps in the second memory, each by its author. If it is interrupted, the next merge finds the text of a
 * step there, and goes on. @throws EEXIST, ECONFLICT, ENOENT if the file is not as it was read
 */
async function replaySteps({ from, into, known, dryRun }: MergeContext, replay: Replay): Promise<void> {
  const { path, steps, content } = replay;
  known.set(path, "file");
  if (dryRun) return;
  let { present } = replay;
  for (const [index, step] of steps.entries()) {
    const text = index === steps.length - 1 ? content : await readStep(from, step);
    if (text === null) continue;
    const author = actAs(into, step);
    if (present === null) await author.write(path, text, { ifExists: "fail" });
    else await author.edit(path, replaceOnly(present, text));
    present = text;
  }
}

/** Adds the parts of a log, each by the author whose step has it first. @throws ENOENT, ECONFLICT */
async function replayLog({ from, into, dryRun }: MergeContext, { path, steps, content }: Replay): Promise<void> {
  if (dryRun) return;
  for (const step of steps) {
    const text = step === steps.at(-1) ? content : await readStep(from, step);
    if (text === null) continue;
    const marks = new Set(readMarks(text));
    await actAs(into, step).edit(path, (present) => {
      const merged = mergeLogs(present, content, marks);
      if (merged === null) throw baseChanged();
      return merged;
    });
  }
}

function replaceOnly(expected: string, text: string): (present: string) => string {
  return (present) => {
    if (present !== expected) throw baseChanged();
    return text;
  };
}

/** Returns null for a text that is redacted or no longer kept. */
async function readStep({ history }: Memory, { id }: Step): Promise<string | null> {
  if (id === null || history === null) return null;
  return (await catchRefusal(history.read(id), "ENOENT"))?.content ?? null;
}

export function actAs(memory: Memory, step: Step | undefined): Memory {
  if (!step?.actor) return memory;
  const { actor, origin } = step;
  if (origin === undefined) return memory.with({ actor });
  return bindMemory(memory, { policies: [], run: { run: {}, signal: undefined, actor, call: null, origin } });
}

/** Adds a text as lines of its own, unless the file has these lines already. */
async function appendStep(
  { into, dryRun }: MergeContext,
  path: string,
  content: string,
  step: Step | undefined,
): Promise<"appended" | "equal"> {
  const lines = new LiteralSearch(`\n${content.replace(/\n$/, "")}\n`);
  const hasLines = (text: string): boolean => lines.firstIn(`\n${text}\n`) !== -1;
  if (content === "" || hasLines(await into.read(path))) return "equal";
  if (!dryRun) await actAs(into, step).edit(path, (text) => (hasLines(text) ? text : appendText(text, content)));
  return "appended";
}

const readOrNull = (memory: Memory, path: string): Promise<string | null> => catchRefusal(memory.read(path), "ENOENT");

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
