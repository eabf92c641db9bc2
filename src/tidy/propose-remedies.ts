import type { Memory, SnapshotFile } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { editUnchanged, proposeChange } from "../core/propose-change.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, isRefusal } from "../core/values/errors.js";
import { archivePath, getPathPrefix, ROOT } from "../core/values/paths.js";
import { createFactsId } from "../core/values/sha256.js";
import type { EditLine, TidyFinding } from "./finding.js";
import { splitFile } from "./split-file.js";

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
    const findings = found.map(({ finding }) => finding).filter(({ remedy }) => move === undefined || remedy === move);
    const reason = findings.map(({ message }) => message).join("\n");
    const propose: ProposeChange = (facts, change) =>
      proposeChange(
        memory,
        {
          id: createFactsId([memory.address, file.path, file.updatedAt, ...facts]),
          actor: settings.actor,
          origin: { reason },
        },
        change,
      );
    const work = move === undefined ? mendText(propose, { file, found }, settings) : moveFile(propose, file, move);
    const result = await work.then(
      (proposal) => (proposal === null ? {} : { proposal }),
      (error: unknown) => {
        if (!isRefusal(error)) throw error;
        return { refused: getReason(error) };
      },
    );
    for (const finding of findings) Object.assign(finding, result);
  }
}

/** Proposes a change. @param facts the same facts about the same state of a file are proposed once */
type ProposeChange = (facts: string[], change: (memory: Memory) => Promise<unknown>) => Promise<string | null>;

function moveFile(
  propose: ProposeChange,
  { path, content }: SnapshotFile,
  remedy: "delete" | "archive",
): Promise<string | null> {
  return propose([remedy, content], async (memory) => {
    if ((await memory.read(path)) !== content) throw baseChanged();
    return remedy === "delete"
      ? memory.delete(path, { ifDirectory: "fail" })
      : memory.rename(path, getArchivePath(memory, path));
  });
}

/** The new files come first. Reason: the text leaves the file only after them. */
async function mendText(
  propose: ProposeChange,
  { file: { path, content }, found }: ExaminedFile,
  { maxChars, paths }: RemedySettings,
): Promise<string | null> {
  const edits = found.flatMap(({ edit }) => edit ?? []);
  const edited = { path, content: editLines(content, edits) };
  const isLarge = found.some(({ finding }) => finding.remedy === "split");
  const [first = edited, ...parts] = isLarge ? splitFile(edited, maxChars, paths) : [];
  for (const [index, part] of parts.entries())
    await propose(["split", content, String(index)], (memory) =>
      memory.write(part.path, part.content, { ifExists: "fail" }),
    );
  // The names of the parts are no facts: other names are free after a part was approved.
  const facts = parts.length === 0 ? ["edit", first.content] : ["split", content];
  return propose(facts, (memory) => editUnchanged(memory, path, content, first.content));
}

/** Edits a text line by line. A line that one edit removes is gone for the others. */
function editLines(content: string, edits: readonly EditLine[]): string {
  const lines = content
    .split("\n")
    .map((line, index) =>
      edits.reduce<string | null>((text, edit) => (text === null ? null : edit(text, index + 1)), line),
    );
  return lines.filter((line) => line !== null).join("\n");
}

/** Returns the archived path in the same mounted memory, because no file can be moved into another one. */
function getArchivePath(memory: Memory, path: string): string {
  const points = getMountTree(memory)?.mounts.map(({ point }) => point) ?? [];
  const above = points.filter((point) => path.startsWith(getPathPrefix(point)) && point !== ROOT);
  const [point = ""] = above.toSorted((a, b) => b.length - a.length);
  return `${point}${archivePath}${path.slice(point.length)}`;
}
