import { countText } from "../core/display/count-text.js";
import type { MemoryHistory } from "../core/history/history.js";
import { filterInSteps } from "../core/runtime/lists-in-steps.js";
import { runInTimeSlices, type Steps } from "../core/runtime/time-slices.js";
import { countRefusedMessages } from "../core/search/log-lines.js";
import { type CheckedAddress, type MemoryScope, memoryScopes } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { findHiddenDirectory, getPathPrefix, ROOT } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import { isInLog } from "./entries.js";
import { owners } from "./introduction.js";
import { listTexts, type Text } from "./lines.js";
import type { PromptPart } from "./part.js";
import type { ShownPrompt } from "./shown-memory.js";

/** The reasons in the order in which a person looks. */
const reasons = [
  "memoryDown",
  "noOwner",
  "noLog",
  "namesOnly",
  "refusedByGuard",
  "redacted",
  "room",
  "noCommonWord",
  "hiddenDirectory",
  "otherOwner",
  "otherScope",
] as const;

/**
 * Why a prompt does not show something.
 *
 * - `memoryDown`: the memory could not be read, so the model is called without it.
 * - `noOwner`: the run names no thread or user for the memory.
 * - `noLog`: no log keeps what was said.
 * - `namesOnly`: the connector shows no texts, by its `content`.
 * - `refusedByGuard`: messages that the log left out, because the guard refused them.
 * - `redacted`: versions whose text was redacted.
 * - `room`: passages that fit the question, or files, but not the budget.
 * - `noCommonWord`: passages that have no word in common with the question.
 * - `hiddenDirectory`: files in a directory whose name begins with a dot.
 * - `otherOwner`: memories of other threads or users of the node.
 * - `otherScope`: memories of the node that have another scope.
 */
export type LeftOutReason = (typeof reasons)[number];

/** Something that a prompt does not show. */
export interface LeftOut {
  /** The file or directory. Absent if there is none, and for all paths after the first 100 of a reason. */
  path?: string;
  reason: LeftOutReason;
  /** The number of passages, files, messages, versions or memories. */
  count: number;
  /** The reason in words. */
  message: string;
}

/** A passage that a prompt shows. */
export interface ShownPassage {
  path: string;
  /** From 1. */
  startLine: number;
  endLine: number;
  /** How well it fits the question. Null if it is shown for another reason: it is pinned, it is new, or all fits. */
  score: number | null;
}

/** What a model sees of a memory for a question, and why it does not see the rest. */
export interface MemoryExplanation {
  /** The exact texts: the part that only the memory changes, and that of the turn. */
  parts: string[];
  /** By path and line. Empty if the parts are names alone. */
  shown: ShownPassage[];
  /** The reasons that concern the whole memory come first. */
  leftOut: LeftOut[];
}

type Explained = Pick<MemoryExplanation, "shown" | "leftOut">;

/** Lists the memories of a node, as a MongoMemoryStore does. */
export type ListMemories = (filter: {
  nodeId: string;
  scope: MemoryScope;
}) => AsyncIterable<ListedMemory> | Iterable<ListedMemory>;

interface ListedMemory {
  address: CheckedAddress;
  files: number;
}

/** Number of paths, of redacted versions and of other memories of each scope that are named or counted. */
const maxEach = 100;

/**
 * Explains a prompt.
 * @param show shows the memory as for a prompt. If it rejects with a MemoryError, the memory is down
 */
export async function explainPrompt(show: () => Promise<ShownPrompt>, list: ListMemories): Promise<MemoryExplanation> {
  let prompt: ShownPrompt;
  try {
    prompt = await show();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return { parts: [], shown: [], leftOut: [{ reason: "memoryDown", count: 1, message: error.message }] };
  }
  return explainRead(prompt, list);
}

/** Explains a prompt that was made. */
export async function explainRead(prompt: ShownPrompt, list: ListMemories): Promise<MemoryExplanation> {
  const { text, turn } = prompt;
  const { shown, leftOut } = await runInTimeSlices(explainShown(prompt), null);
  const others = [...(await listRedacted(prompt)), ...(await countOthers(prompt, list))];
  return { parts: [text, turn].filter((part) => part !== null), shown, leftOut: sortReasons([...leftOut, ...others]) };
}

/** Explains a prompt by what was read for it alone. */
export function* explainShown(prompt: ShownPrompt): Steps<Explained> {
  const { view, form, outlines, missingOwner } = prompt;
  const texts = yield* listTexts(outlines);
  const leftOut: LeftOut[] = [];
  if (missingOwner !== null)
    leftOut.push({
      reason: "noOwner",
      count: 1,
      message: `the run names no ${owners[missingOwner]}: pass its ${owners[missingOwner]}Id`,
    });
  for (const { mount } of outlines)
    if (mount.missingOwner !== undefined)
      leftOut.push({ path: mount.point, reason: "noOwner", count: 1, message: mount.missingOwner.message });
  if (form.logPath === null) leftOut.push(createRow("noLog", 1));
  const refused = new Counts("refusedByGuard");
  for (const { path, content } of texts) {
    yield;
    if (isInLog(path, form.logPath)) refused.add(path, countRefusedMessages(content));
  }
  leftOut.push(...refused.list());
  if (view === "auto") leftOut.push(...(yield* countPassages(texts, prompt)));
  else leftOut.push(...(yield* countFiles(prompt)));
  const hidden = new Counts("hiddenDirectory");
  for (const { path } of outlines.flatMap(({ outline }) => outline.files)) {
    yield;
    const directory = findHiddenDirectory(path);
    if (directory !== undefined) hidden.add(directory, 1);
  }
  leftOut.push(...hidden.list());
  return { shown: yield* listShownPassages(texts, prompt), leftOut: sortReasons(leftOut) };
}

function* listShownPassages(texts: readonly Text[], { view, parts }: ShownPrompt): Steps<ShownPassage[]> {
  if (view !== "auto" && view !== "full") return [];
  const isWhole = view === "full";
  const contents = new Map<string, string>();
  const scores = new Map<string, number>();
  for (const { path, content, hits } of texts) {
    yield;
    contents.set(path, content);
    for (const { passage, score } of hits) {
      const key = isWhole ? path : `${passage} ${path}`;
      scores.set(key, Math.max(score, scores.get(key) ?? score));
    }
  }
  const shown = new Map<string, ShownPassage>();
  for (const { path, number, firstLine, lastLine } of parts.flatMap((part) => [...part.lines()])) {
    yield;
    const lines = isWhole ? (contents.get(path) ?? "").replace(/\n$/, "").split("\n").length : lastLine;
    // The pieces of a long line are one passage.
    const key = `${firstLine} ${path}`;
    const score = scores.get(isWhole ? path : `${number} ${path}`) ?? shown.get(key)?.score ?? null;
    shown.set(key, { path, startLine: firstLine, endLine: lines, score });
  }
  return [...shown.values()].toSorted((a, b) => compareCodeUnits(a.path, b.path) || a.startLine - b.startLine);
}

/** Counts the passages that are not shown, by whether they have anything in common with the question. */
function* countPassages(texts: readonly Text[], { parts, form }: ShownPrompt): Steps<LeftOut[]> {
  const room = new Counts("room");
  const others = new Counts("noCommonWord");
  const withHits = yield* filterInSteps(texts, ({ hits }) => hits.length > 0);
  const withoutHits = yield* filterInSteps(texts, ({ hits }) => hits.length === 0);
  const best = withHits.toSorted((a, b) => getBestScore(b) - getBestScore(a));
  for (const text of [...best, ...withoutHits]) {
    const { path, passages, hits } = text;
    const lines = new Set(hits.map(({ passage }) => passages.get(passage, "firstLine")));
    const own = parts.filter((part) => part.count(path) > 0);
    for (let number = 1; number < passages.length; number += 1) {
      if (number % passagesPerYield === 0) yield;
      if (own.some((part) => part.has({ path, number }))) continue;
      const isHit = lines.has(passages.get(number, "firstLine")) || text.hasQueryWord(number);
      (form.question === "" || isHit ? room : others).add(path, 1);
    }
    yield;
  }
  return [...room.list(), ...others.list()];
}

const passagesPerYield = 1000;

function getBestScore({ hits }: Text): number {
  return hits.reduce((best, { score }) => Math.max(best, score), 0);
}

/** Counts the files whose texts are not shown, in a prompt that shows no passages. */
function* countFiles({ view, parts, outlines, leftOut }: ShownPrompt): Steps<LeftOut[]> {
  const room = new Counts("room");
  const names = new Counts("namesOnly");
  const isShown = (part: PromptPart, path: string): boolean => part.has({ path, number: 1 });
  for (const { path, sizeBytes } of outlines.flatMap(({ outline }) => outline.files)) {
    yield;
    if (sizeBytes === 0 || findHiddenDirectory(path) !== undefined) continue;
    if (view !== "full") names.add(null, 1);
    else if (!parts.some((part) => isShown(part, path))) room.add(path, 1);
  }
  if (view !== "full") room.add(null, leftOut);
  return [...names.list(), ...room.list()];
}

/** Finds the versions whose text was redacted. */
async function listRedacted({ outlines }: ShownPrompt): Promise<LeftOut[]> {
  const redacted = new Counts("redacted");
  for (const { mount } of outlines) {
    const history: MemoryHistory | null = mount.missingOwner === undefined ? mount.memory.history : null;
    if (history === null) continue;
    for await (const { path } of history.list({ redacted: true, limit: maxEach }))
      redacted.add(path === "" ? null : getPathPrefix(mount.point) + path.slice(1), 1);
  }
  return redacted.list();
}

/** Counts the other memories of the node, which have files. */
async function countOthers({ outlines }: ShownPrompt, list: ListMemories): Promise<LeftOut[]> {
  const shown = new Set(outlines.map(({ mount }) => JSON.stringify(mount.memory.address)));
  const own = outlines.find(({ mount }) => mount.point === ROOT)?.mount.memory.address;
  const rows: LeftOut[] = [];
  for (const scope of own === undefined ? [] : memoryScopes) {
    let count = 0;
    let read = 0;
    for await (const { address, files } of list({ nodeId: own?.nodeId ?? "", scope })) {
      count += files > 0 && !shown.has(JSON.stringify(address)) ? 1 : 0;
      read += 1;
      if (read === maxEach) break;
    }
    const whose = scope === "global" ? "of all users" : `of ${owners[scope]}s`;
    const message = `${countText(count, "memory")} ${whose}, which this prompt does not show`;
    if (count > 0) rows.push({ reason: scope === own?.scope ? "otherOwner" : "otherScope", count, message });
  }
  return rows;
}

/** Counts what is left out for one reason, by paths. */
class Counts {
  readonly #reason: keyof typeof words;
  readonly #counts = new Map<string | null, number>();

  constructor(reason: keyof typeof words) {
    this.#reason = reason;
  }

  /** @param path null if it has none. Only the first paths are named */
  add(path: string | null, count: number): void {
    if (count === 0) return;
    const key = this.#counts.has(path) || this.#counts.size < maxEach ? path : null;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  list(): LeftOut[] {
    return Array.from(this.#counts, ([path, count]) => ({
      ...(path !== null && { path }),
      ...createRow(this.#reason, count),
    }));
  }
}

/** The words for each reason that is counted. */
const words = {
  noLog: () => "no log keeps what was said: only what tools and programs wrote is here",
  namesOnly: (count) => `${countText(count, "file")} by name alone: content "auto" shows texts`,
  refusedByGuard: (count) => `${countText(count, "message")} that the guard refused`,
  redacted: (count) => `${countText(count, "version")} with a redacted text`,
  room: (count) => `${count} more, for which there was no room: raise maxChars, or pin the file`,
  noCommonWord: (count) => `${countText(count, "passage")} without a word of the question: use words of the notes`,
  hiddenDirectory: (count) => `${countText(count, "file")} in a directory whose name begins with a dot`,
} as const satisfies Partial<Record<LeftOutReason, (count: number) => string>>;

function createRow(reason: keyof typeof words, count: number): LeftOut {
  return { reason, count, message: words[reason](count) };
}

function sortReasons(rows: readonly LeftOut[]): LeftOut[] {
  return rows.toSorted((a, b) => reasons.indexOf(a.reason) - reasons.indexOf(b.reason));
}
