import type { Memory, SnapshotFile } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { editUnchanged, proposeChange } from "../core/propose-change.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, MemoryError } from "../core/values/errors.js";
import { archivePath, ROOT } from "../core/values/paths.js";
import { hashSha256 } from "../core/values/sha256.js";
import type { FoundFault, TidyFinding } from "./finding.js";

/** A file with its findings. */
export interface ExaminedFile {
  file: SnapshotFile;
  found: { finding: TidyFinding; edit: FoundFault["edit"] }[];
}

/** Proposes one change for each file, and notes in its findings what became of it. */
export async function proposeRemedies(
  memory: Memory,
  files: readonly ExaminedFile[],
  actor: MemoryActor,
): Promise<void> {
  for (const { file, found } of files) {
    const remedy = (["delete", "archive", "edit"] as const).find((each) =>
      found.some(({ finding }) => finding.remedy === each),
    );
    if (remedy === undefined) continue;
    const edits = found.flatMap(({ edit }) => edit ?? []);
    const edit = (text: string): string => edits.reduce((edited, change) => change(edited), text);
    const result = await proposeRemedy(memory, file, remedy, { actor, edit });
    for (const { finding } of found) if (finding.remedy === remedy) Object.assign(finding, result);
  }
}

async function proposeRemedy(
  memory: Memory,
  { path, content, updatedAt }: SnapshotFile,
  remedy: "delete" | "archive" | "edit",
  { actor, edit }: { actor: MemoryActor; edit: (text: string) => string },
): Promise<Pick<TidyFinding, "proposal" | "refused">> {
  const state = [memory.address, path, updatedAt, remedy, remedy === "edit" ? edit(content) : content];
  const id = hashSha256(JSON.stringify(state)).slice(0, 24);
  const change = async (asking: Memory): Promise<unknown> => {
    if (remedy === "edit") return editUnchanged(asking, path, content, edit(content));
    if ((await memory.read(path)) !== content) throw baseChanged();
    return remedy === "delete"
      ? asking.delete(path, { ifDirectory: "fail" })
      : asking.rename(path, getArchivePath(memory, path));
  };
  try {
    const proposal = await proposeChange(memory, { id, actor }, change);
    return proposal === null ? {} : { proposal };
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code === "EIO") throw error;
    return { refused: getReason(error) };
  }
}

/** Returns the place of a file in the archive of its own memory: a file cannot be moved to another mount. */
function getArchivePath(memory: Memory, path: string): string {
  const points = getMountTree(memory)?.mounts.map(({ point }) => point) ?? [];
  const prefixes = points.map((point) => (point === ROOT ? "" : point)).filter((each) => path.startsWith(`${each}/`));
  const prefix = prefixes.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  return `${prefix}${archivePath}${path.slice(prefix.length)}`;
}
