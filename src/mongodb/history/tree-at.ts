import { MemoryError } from "../../core/values/errors.js";
import { collectDirectories, isWithin } from "../../core/values/paths.js";
import type { MemorySnapshot, SnapshotFile } from "../../core/tree/snapshot.js";
import { compareCodeUnits, comparePaths, utf8Bytes } from "../../core/values/text.js";
import type { HistoryView } from "./history-view.js";
import {
  getPathBefore,
  getPublicId,
  getRevision,
  type KnownDirectoryChange,
  type VersionDocument,
} from "./version-document.js";

/** A tree at an earlier point in time. */
export interface FormerTree {
  snapshot: MemorySnapshot;
  /** The known paths of files whose text is redacted. The snapshot does not contain these files. */
  redacted: string[];
}

/**
 * Reads the tree right after the change of a version: the present tree without all later changes.
 * @throws MemoryError ENOENT if a part of the tree is no longer kept
 */
export async function treeAt(view: HistoryView, id: string): Promise<FormerTree> {
  const { tree } = view.present;
  const revision = getRevision(id);
  const files = new Map(tree?.files.map((file) => [file.path, file]));
  const directories = new Set(tree?.directories);
  const lineages = new Map<string, VersionDocument[]>();
  const seen = new Set<string>();
  for await (const version of view.newerThan(id)) {
    seen.add(getPublicId(version));
    undoDirectories(directories, version.directories ?? {});
    if (version.file === undefined) continue;
    const others = lineages.get(version.file);
    if (others === undefined) lineages.set(version.file, [version]);
    else others.push(version);
  }
  const isLost = ({ since }: VersionDocument): boolean =>
    since !== undefined && !seen.has(since) && view.isLater(since, id);
  const changed = [...lineages.values()];
  const firsts = changed.map((newer) => newer.at(-1)).filter((first) => first !== undefined);
  const heads = await view.several(
    firsts.flatMap(({ since, file }) => [since, file].filter((each) => each !== undefined)),
  );
  const present = changed.map(([newest]) => files.get(newest?.operation === "deleted" ? "" : (newest?.path ?? "")));
  for (const [newest] of changed) if (newest?.operation !== "deleted") files.delete(newest?.path ?? "");
  const redacted: string[] = [];
  let lost = 0;
  for (const [index, newer] of changed.entries()) {
    const first = newer.at(-1);
    if (first === undefined) continue;
    if (isLost(first)) lost += 1;
    else if (first.operation !== "created") {
      const head = first.since === undefined ? undefined : heads.get(first.since);
      const path = getPathBefore(first, head);
      const content = await view.textBefore(newer, head);
      if (content === undefined) lost += 1;
      else if (content === null || path === undefined) redacted.push(path ?? "");
      else
        files.set(path, createSnapshotFile(path, content, head, heads.get(first.file ?? ""), present[index] ?? null));
    }
  }
  if (lost > 0)
    throw new MemoryError(
      "ENOENT",
      `ENOENT: the tree at version ${id} is no longer known: ${lost} of its files have changed since, and their ` +
        "versions from that time are no longer kept",
    );
  for (const directory of collectDirectories(files.keys())) directories.add(directory);
  const snapshot = {
    files: [...files.values()].toSorted(comparePaths),
    directories: [...directories].toSorted(compareCodeUnits),
    revision,
  };
  return { snapshot, redacted };
}

function createSnapshotFile(
  path: string,
  content: string,
  head: VersionDocument | undefined,
  first: VersionDocument | undefined,
  present: SnapshotFile | null,
): SnapshotFile {
  const unknown = new Date(0);
  const updatedAt = head?.at ?? present?.createdAt ?? unknown;
  const createdAt = first?.operation === "created" ? first.at : (present?.createdAt ?? updatedAt);
  return { path, kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt };
}

/** Makes the directories before a change of those after it. */
export function undoDirectories(
  directories: Set<string>,
  { added = [], removed = [], moved }: KnownDirectoryChange,
): void {
  if (moved !== undefined) undoMove(directories, moved);
  for (const path of added) directories.delete(path);
  for (const path of removed) directories.add(path);
}

/** Undoes a move. A redacted name is unknown, so the tree loses empty directories below it. */
function undoMove(directories: Set<string>, { from, to }: NonNullable<KnownDirectoryChange["moved"]>): void {
  if (from !== undefined) directories.add(from);
  if (to === undefined) return;
  for (const path of Array.from(directories)) {
    const back = movedPath(path, to, from ?? "");
    if (back === null) continue;
    directories.delete(path);
    if (from !== undefined) directories.add(back);
  }
}

/** Returns the path after a move of a directory. Null if the path is outside the directory. */
export function movedPath(path: string, from: string, to: string): string | null {
  return isWithin(path, from) ? to + path.slice(from.length) : null;
}
