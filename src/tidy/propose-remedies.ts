import type { Memory, SnapshotFile } from "../core/memory.js";
import { joinPoint } from "../core/mounts/mount-table.js";
import { editUnchanged, proposeChange } from "../core/propose-change.js";
import { runInTurns, type Steps } from "../core/runtime/turns.js";
import type { FileText } from "../core/tree/snapshot.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, isRefusal } from "../core/values/errors.js";
import { archivePath, ROOT } from "../core/values/paths.js";
import { createFactsId } from "../core/values/sha256.js";
import { shorten } from "../core/values/text.js";
import type { EditLine, TidyFinding } from "./finding.js";
import { getPartPath, splitFile } from "./split-file.js";

const maxReasonChars = 2000;

/** A file with its findings. */
export interface ExaminedFile {
  file: SnapshotFile;
  found: { finding: TidyFinding; edit: EditLine | undefined }[];
}

interface RemedySettings {
  actor: MemoryActor;
  maxChars: number;
  /** The paths of all files and directories. */
  paths: ReadonlySet<string>;
  /** Returns the point of the mounted memory to which a path belongs. */
  getPoint: (path: string) => string;
  signal: AbortSignal | null;
}

/**
 * Proposes one change for each file, and each further part of a large file as a new file. The findings get the id of
 * the proposal, or the reason of a refusal.
 */
export async function proposeRemedies(
  memory: Memory,
  files: readonly ExaminedFile[],
  settings: RemedySettings,
): Promise<void> {
  for (const { file, found } of files) {
    const move = (["delete", "archive"] as const).find((each) => found.some(({ finding }) => finding.remedy === each));
    const parts = move === undefined ? await planTexts({ file, found }, settings) : [];
    const findings = found
      .map(({ finding }) => finding)
      .filter(({ remedy, refused }) => refused === undefined && (move === undefined || remedy === move));
    if (findings.length === 0) continue;
    const reason = shorten(findings.map(({ message }) => message).join("\n"), maxReasonChars);
    const propose: ProposeChange = (facts, change, isCheck) =>
      proposeChange(
        memory,
        {
          id: createFactsId([memory.address, file.path, file.updatedAt, ...facts]),
          actor: settings.actor,
          origin: { reason },
          isCheck,
        },
        change,
      );
    const work =
      move === undefined
        ? mendText(propose, file, parts, settings.maxChars)
        : moveFile(propose, file, move === "archive" ? getArchivePath(file.path, settings) : null);
    const result = await work.then(
      (proposal) => (proposal === null ? {} : { proposal }),
      (error: unknown) => ({ refused: getRefusal(error) }),
    );
    for (const finding of findings) Object.assign(finding, result);
  }
}

/** Proposes a change. @param facts the same facts about the same state of a file are proposed once */
type ProposeChange = (
  facts: string[],
  change: (memory: Memory) => Promise<unknown>,
  isCheck: boolean,
) => Promise<string | null>;

/** @param to null deletes the file */
function moveFile(propose: ProposeChange, { path, content }: SnapshotFile, to: string | null): Promise<string | null> {
  const change = async (memory: Memory): Promise<unknown> => {
    if ((await memory.read(path)) !== content) throw baseChanged();
    return to === null ? memory.delete(path, { ifDirectory: "fail" }) : memory.rename(path, to);
  };
  return propose([to === null ? "delete" : "archive", content], change, false);
}

/** Returns the new text of a file, and the new files for its end. A file that cannot be split is said to be refused. */
async function planTexts(
  { file, found }: ExaminedFile,
  { maxChars, paths, signal }: RemedySettings,
): Promise<FileText[]> {
  const { path } = file;
  const edits = found.flatMap(({ edit }) => edit ?? []);
  const edited = { path, content: await runInTurns(editLines(file.content, edits), signal) };
  const large = found.find(({ finding }) => finding.remedy === "split");
  if (large === undefined) return [edited];
  try {
    return splitFile(edited, maxChars, paths);
  } catch (error) {
    large.finding.refused = getRefusal(error);
    return [edited];
  }
}

/** The new files come first. Reason: the text leaves the file only after them. */
async function mendText(
  propose: ProposeChange,
  { path, content }: SnapshotFile,
  [first, ...parts]: readonly FileText[],
  maxChars: number,
): Promise<string | null> {
  const after = first?.content ?? content;
  // The names of the parts are no facts: other names are free after a part was approved.
  const facts = parts.length === 0 ? ["edit", after] : ["split", content, String(maxChars)];
  const proposeAll = async (isCheck: boolean): Promise<string | null> => {
    for (const [index, part] of parts.entries())
      await propose(
        [...facts, String(index)],
        (memory) => memory.write(part.path, part.content, { ifExists: "fail" }),
        isCheck,
      );
    return propose(facts, (memory) => editUnchanged(memory, path, content, after), isCheck);
  };
  // If one of several changes is refused, none is proposed.
  if (parts.length > 0) await proposeAll(true);
  return proposeAll(false);
}

/** @throws an error that is no refusal */
function getRefusal(error: unknown): string {
  if (!isRefusal(error)) throw error;
  return getReason(error);
}

/** Edits a text line by line. A line that one edit removes is gone for the others. */
function* editLines(content: string, edits: readonly EditLine[]): Steps<string> {
  const lines: string[] = [];
  for (const [index, line] of content.split("\n").entries()) {
    yield;
    const edited = edits.reduce<string | null>((text, edit) => (text === null ? null : edit(text, index + 1)), line);
    if (edited !== null) lines.push(edited);
  }
  return lines.join("\n");
}

/** Returns a free archived path in the same mounted memory, because no file can be moved into another one. */
function getArchivePath(path: string, { getPoint, paths }: RemedySettings): string {
  const point = getPoint(path);
  const archived = joinPoint({ point }, archivePath) + (point === ROOT ? path : path.slice(point.length));
  let free = archived;
  for (let number = 2; paths.has(free); number += 1) free = getPartPath(archived, number);
  return free;
}
