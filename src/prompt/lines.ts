import { filterInSteps } from "../core/runtime/lists-in-steps.js";
import { mergeSort } from "../core/runtime/sort-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import type { Mount } from "../core/mounts/mounts.js";
import { foldLine } from "../core/search/lines.js";
import { removeLogMarks } from "../core/search/log-lines.js";
import { cutMark, findShownStart, findSpeaker } from "../core/search/passages.js";
import { getRecalled, type Recalled } from "../core/search/recall.js";
import { compilePathPattern } from "../core/values/path-pattern.js";
import { findHiddenDirectory, ROOT } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import { getDescription, leadChars, pinsItself } from "./front-matter.js";
import { createName, type NamedEntry, isInLog } from "./entries.js";
import { printablePath } from "./fence.js";
import type { PromptLine, PromptPart } from "./part.js";

/** A file that `auto` can show in passages. */
export interface Text extends Recalled {
  path: string;
  content: string;
  /** Whether an agent may change the file. */
  canWrite: boolean;
}

/** Lists the files whose texts a model may see. Hidden directories hold the own files of dialects. */
export function* listTexts(outlines: readonly MountOutline[]): Steps<Text[]> {
  const texts: Text[] = [];
  for (const { mount, outline } of outlines) {
    for (const file of outline.files) {
      yield;
      if (findHiddenDirectory(file.path) !== undefined) continue;
      const { path, content = "" } = file;
      texts.push({ ...(yield* getRecalled(file)), path, content, canWrite: mayWrite(mount, path) });
    }
  }
  return texts;
}

/** Whether an agent may change a file of the tree. */
function mayWrite({ point, memory, access }: Mount, path: string): boolean {
  const own = point === ROOT ? path : path.slice(point.length);
  return access !== "read" && memory.rights?.accessAt?.(own) !== "read";
}

/** Pinned files, in order of importance. */
export interface PinnedTexts {
  /** Files that the program pins. */
  byProgram: readonly Text[];
  /** Files that a model may have pinned. */
  byThemselves: readonly Text[];
}

/** Finds the pinned files: those of the first pattern first, and then those that pin themselves. */
export function* findPinned(texts: readonly Text[], patterns: readonly string[]): Steps<PinnedTexts> {
  const matchers = patterns.map(compilePathPattern);
  const byPattern: Text[][] = [...patterns, ""].map(() => []);
  const byThemselves: Text[] = [];
  for (const text of texts) {
    yield;
    if (text.passages.length < 2) continue;
    const index = matchers.findIndex((matches) => matches(text.path));
    if (index === -1 && !pinsItself(text.content)) continue;
    if (index === -1 && text.canWrite) byThemselves.push(text);
    else byPattern.at(index)?.push(text);
  }
  return { byProgram: byPattern.flat(), byThemselves };
}

/** Yields the names of files with their descriptions. A file without one yields null, which is a step of the work. */
export function* listDescriptions(entries: Iterable<NamedEntry>): Generator<PromptLine | null> {
  for (const { path, text, file } of entries) {
    const description = getDescription(file?.lead ?? file?.content?.slice(0, leadChars) ?? "");
    yield description === null ? null : createName(path, `${text}: ${printablePath(description)}`);
  }
}

/** Yields the whole texts of files, or null. A log is shown without its marks. */
export function* listContents(entries: Iterable<NamedEntry>, logPath: string | null): Generator<PromptLine | null> {
  for (const { path, file } of entries) {
    const { content = "" } = file ?? {};
    const text = isInLog(path, logPath) ? removeLogMarks(content) : content;
    yield text === "" ? null : createWhole(path, text);
  }
}

/** Yields the whole texts of a log, without its marks. */
export function* listLog(texts: Iterable<Text>): Generator<PromptLine> {
  for (const { path, content } of texts) yield createWhole(path, removeLogMarks(content));
}

function createWhole(path: string, text: string): PromptLine {
  return { path, number: 1, text, firstLine: 1, lastLine: 1 };
}

/** Yields the passages of files from their start. */
export function* listPassages(texts: Iterable<Text>): Generator<PromptLine> {
  for (const text of texts)
    for (let number = 1; number < text.passages.length; number += 1) yield* createLines(text, number);
}

/** Returns the passages that the stable part does not show: those that fit the turn, best first, then the newest ones. */
export function* listTurn(texts: readonly Text[], stable: PromptPart): Steps<Iterable<PromptLine | null>> {
  const hits = yield* listHits(texts);
  const newest = yield* mergeSort(texts, (a, b) => b.changedAt - a.changedAt || compareCodeUnits(b.path, a.path));
  return listNewLines(hits, newest, stable);
}

function* listNewLines(
  hits: readonly Hit[],
  newest: readonly Text[],
  stable: PromptPart,
): Generator<PromptLine | null> {
  for (const { text, number } of hits) if (!stable.has({ path: text.path, number })) yield* createLines(text, number);
  // The last line of a file is its newest one.
  for (const text of newest) {
    yield null;
    for (let number = text.passages.length - 1; number > 0; number -= 1)
      if (!stable.has({ path: text.path, number })) yield* createLines(text, number);
  }
}

interface Hit {
  text: Text;
  number: number;
  score: number;
}

/** Sorts the hits, best first. A heading is left out, because a heading that fits makes the lines below it fit, which say more. */
function* listHits(texts: readonly Text[]): Steps<Hit[]> {
  const withHits = yield* filterInSteps(texts, ({ hits }) => hits.length > 0);
  const sorted = withHits
    .flatMap((text) => text.hits.map(({ passage: number, score }) => ({ text, number, score })))
    .filter(({ text, number }) => (text.passages.get(number, "sectionEnd") ?? 0) <= number + 1)
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.text.path, b.text.path) || a.number - b.number);
  return yield* moveRepeatedBack(sorted);
}

/** Moves the hits that say the same as a better one behind all others: people say the same thing again and again. */
function* moveRepeatedBack(hits: readonly Hit[]): Steps<Hit[]> {
  const said = new Set<string>();
  const repeated = new Set<Hit>();
  for (const hit of hits) {
    yield;
    const { start = 0, end = 0 } = hit.text.passages.at(hit.number) ?? {};
    const line = foldLine(hit.text.content.slice(start, end));
    if (said.has(line)) repeated.add(hit);
    said.add(line);
  }
  return [...hits.filter((hit) => !repeated.has(hit)), ...repeated];
}

/** Returns a passage as its line shows it: with its indent, or as a piece of a line. Empty if there is none. */
function createLines({ path, content, passages }: Text, number: number): PromptLine[] {
  const passage = passages.at(number);
  if (passage === undefined) return [];
  const { start, end, firstLine, lastLine } = passage;
  const isPiece = number > 1 && passages.get(number - 1, "lastLine") === firstLine;
  const text = isPiece
    ? findSpeaker(content, passage) + cutMark + content.slice(start, end)
    : content.slice(findShownStart(content, passage), end);
  return [{ path, number, text, firstLine, lastLine }];
}
