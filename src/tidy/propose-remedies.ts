import type { Memory, SnapshotFile } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { editUnchanged, proposeChange } from "../core/propose-change.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, isRefusal } from "../core/values/errors.js";
import { archivePath, getPathPrefix, ROOT } from "../core/values/paths.js";
import { createFactsId } from "../core/values/sha256.js";
import type { FoundFault, TidyFinding } from "./finding.js";

/** A file with its findings. */
export interface ExaminedFile {
  file: SnapshotFile;
  found: { finding: TidyFinding; edit: FoundFault["edit"] }[];
}

/** Proposes one change for each file. The findings get the id of the proposal, or the reason of a refusal. */
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
    const edited = found.reduce((text, { edit }) => edit?.(text) ?? text, file.content);
    const result = await proposeRemedy(memory, file, remedy, { actor, edited });
    for (const { finding } of found) if (finding.remedy === remedy) Object.assign(finding, result);
  }
}

async function proposeRemedy(
  memory: Memory,
  { path, content, updatedAt }: SnapshotFile,
  remedy: "delete" | "archive" | "edit",
  { actor, edited }: { actor: MemoryActor; edited: string },
): Promise<Pick<TidyFinding, "proposal" | "refused">> {
  const id = createFactsId([memory.address, path, updatedAt, remedy, remedy === "edit" ? edited : content]);
  const change = async (asking: Memory): Promise<unknown> => {
    if (remedy === "edit") return editUnchanged(asking, path, content, edited);
    if ((await memory.read(path)) !== content) throw baseChanged();
    return remedy === "delete"
      ? asking.delete(path, { ifDirectory: "fail" })
      : asking.rename(path, getArchivePath(memory, path));
  };
  try {
    const proposal = await proposeChange(memory, { id, actor }, change);
    return proposal === null ? {} : { proposal };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: getReason(error) };
  }
}

/** Returns the archived path in the same mounted memory, because no file can be moved into another one. */
function getArchivePath(memory: Memory, path: string): string {
  const points = getMountTree(memory)?.mounts.map(({ point }) => point) ?? [];
  const above = points.filter((point) => path.startsWith(getPathPrefix(point)) && point !== ROOT);
  const [point = ""] = above.toSorted((a, b) => b.length - a.length);
  return `${point}${archivePath}${path.slice(point.length)}`;
}
