import { findRecords, redactRecords } from "../../core/approval/redact-records.js";
import type { RedactedText, TextOccurrences } from "../../core/history/history.js";
import { TextRedactor } from "../../core/history/text-redactor.js";
import type { CallContext } from "../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../core/runtime/lost-race.js";
import { runInTurns, type Steps } from "../../core/runtime/turns.js";
import { errorOnPaths } from "../../core/values/error-paths.js";
import { invalid } from "../../core/values/errors.js";
import { ROOT } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";
import type { HistoryContext } from "./history-context.js";
import type { HistoryView } from "./history-view.js";
import { coverDirectories, type FileRedaction, redactTextOfFile, type RedactionMark } from "./text-redaction.js";
import { getPublicId, toMemoryVersion, type VersionDocument } from "./version-document.js";

/** The most files whose versions one command reads. */
const maxFilesPerCommand = 1000;

type ReadView = () => Promise<HistoryView | null>;

export async function findText(
  { proposals, clock }: HistoryContext,
  text: string,
  readView: ReadView,
  call: CallContext,
): Promise<TextOccurrences> {
  const redactor = new TextRedactor(text);
  const [view, records] = [await readView(), await findRecords(proposals, (each) => redactor.isIn(each))];
  const versions: VersionDocument[] = [];
  if (view !== null)
    for await (const file of planRedactions(view, redactor, { at: clock(), by: null }, call))
      versions.push(...file.versions);
  const { texts, paths } = view === null ? nowhere : await runInTurns(findPresent(view, redactor), call);
  return {
    versions: versions.toSorted((a, b) => compareCodeUnits(b._id, a._id)).map(toMemoryVersion),
    proposals: records.map(({ id }) => id),
    files: [...new Set([...texts, ...paths])].toSorted(compareCodeUnits),
  };
}

/**
 * Covers a text wherever it stands, until it stands nowhere: a change that comes meanwhile may contain it too. Each
 * step can be made again, so a crash leaves nothing that the next call does not finish.
 */
export async function redactText(
  context: HistoryContext,
  { text, cut }: Required<RedactedText>,
  readView: ReadView,
  call: CallContext,
  checkPath: (path: string) => void,
): Promise<number> {
  const { source, versions, proposals, removeVectors, clock } = context;
  const redactor = new TextRedactor(text);
  const redacted = new Set<string>();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await source.flush(call);
    const view = await readView();
    const mark = { at: clock(), by: call.actor };
    let isFound = false;
    for await (const { versions: found } of view === null ? [] : planRedactions(view, redactor, mark, call)) {
      isFound = true;
      for (const { path } of found) checkPath(path ?? ROOT);
    }
    const isPresentCut = view !== null && (await cutPresentTexts(context, view, { redactor, cut, checkPath }, call));
    if (isPresentCut) continue;
    const records = await redactRecords(proposals, (each) => redactor.isIn(each));
    if (isFound || records > 0) await removeVectors();
    if (view === null || !isFound) return redacted.size;
    for await (const file of planRedactions(view, redactor, mark, call)) {
      if (!file.isStored || !(await versions.redact(view.present.memory, file.redactions, call))) continue;
      for (const version of file.versions) redacted.add(getPublicId(version));
    }
    await pause(attempt);
  }
  throw lostRace();
}

interface Cut {
  redactor: TextRedactor;
  cut: boolean;
  checkPath: (path: string) => void;
}

/** @returns whether present files contained the text, and were changed or have changed meanwhile. @throws EINVAL */
async function cutPresentTexts(
  { restore }: HistoryContext,
  view: HistoryView,
  { redactor, cut, checkPath }: Cut,
  call: CallContext,
): Promise<boolean> {
  const { texts, paths } = await runInTurns(findPresent(view, redactor), call);
  // The message does not repeat the text, which the path contains.
  if (paths.length > 0)
    throw invalid("the path of a present file or directory contains the text; rename or delete it first");
  const [first] = texts;
  if (first === undefined) return false;
  if (!cut) throw presentText(first, texts.length - 1);
  for (const path of texts) checkPath(path);
  const files = await runInTurns(coverTexts(view, texts, redactor), call);
  const tree = view.present.tree ?? { files: [], directories: [], revision: 0 };
  const unchanged = { renamed: new Map<string, string>(), addedDirectories: [], removedDirectories: [] };
  await restore({ files, ...unchanged, tree }, view.present.revision);
  return true;
}

function presentText(path: string, others: number): Error {
  const more = others === 0 ? "" : ` and in ${others} more ${others === 1 ? "file" : "files"}`;
  return errorOnPaths(
    "EINVAL",
    (place) =>
      `the text can be read in ${place(path)}${more} as it is now; write or delete the file first, or pass ` +
      "`cut: true` to cover it there too",
    path,
  );
}

interface PresentOccurrences {
  /** The paths of the files whose texts contain it. */
  texts: readonly string[];
  /** The paths of files and directories that contain it. */
  paths: readonly string[];
}

const nowhere: PresentOccurrences = { texts: [], paths: [] };

function* findPresent({ present }: HistoryView, redactor: TextRedactor): Steps<PresentOccurrences> {
  const texts: string[] = [];
  const paths = (present.tree?.directories ?? []).filter((path) => redactor.isIn(path));
  for (const [path, text] of present.texts) {
    if (redactor.isIn(path)) paths.push(path);
    if (redactor.isIn(text)) texts.push(path);
    yield;
  }
  return { texts, paths };
}

function* coverTexts(
  { present }: HistoryView,
  paths: readonly string[],
  redactor: TextRedactor,
): Steps<Map<string, string>> {
  const covered = new Map<string, string>();
  for (const path of paths) covered.set(path, yield* redactor.cover(present.texts.get(path) ?? ""));
  return covered;
}

interface PlannedRedaction extends FileRedaction {
  /** Whether all of it has left the outbox. */
  isStored: boolean;
}

/** Plans file by file, so that the texts of one file are in memory at a time. */
async function* planRedactions(
  view: HistoryView,
  redactor: TextRedactor,
  mark: RedactionMark,
  call: CallContext,
): AsyncGenerator<PlannedRedaction> {
  const files = new Set<string>();
  for await (const version of view.outline()) {
    if (version.file !== undefined) files.add(version.file);
    else {
      const redactions = coverDirectories(version, redactor);
      if (redactions.length > 0) yield { versions: [], redactions, isStored: view.isStored(version) };
    }
  }
  const ids = [...files];
  for (let start = 0; start < ids.length; start += maxFilesPerCommand) {
    for await (const lineage of view.lineages(ids.slice(start, start + maxFilesPerCommand))) {
      const [newest] = lineage;
      const present = newest?.operation === "deleted" ? undefined : view.present.texts.get(newest?.path ?? "");
      const found = await runInTurns(redactTextOfFile(lineage, present, redactor, mark), call);
      const isStored = lineage.every((version) => view.isStored(version));
      if (found.redactions.length > 0) yield { ...found, isStored };
    }
  }
}
