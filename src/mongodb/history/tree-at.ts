import { MemoryError } from "../../core/values/errors.js";
import { collectDirectories, isWithin } from "../../core/values/paths.js";
import type { MemorySnapshot, SnapshotFile } from "../../core/tree/snapshot.js";
import { compareCodeUnits, comparePaths, utf8Bytes } from "../../core/values/text.js";
import { type ChangedFile, findChangedFiles, getFormerPath, getPresentPath } from "./changed-files.js";
import type { HistoryView } from "./history-view.js";
import { getPublicId, getRevision, type KnownDirectoryChange, type VersionDocument } from "./version-document.js";

/** A tree at an earlier point in time. */
export interface FormerTree {
  snapshot: MemorySnapshot;
  /** The known paths of files whose text is redacted. The snapshot does not contain these files. */
  redacted: string[];
}

/** All changes after that of a version. */
export interface LaterChanges {
  files: readonly ChangedFile[];
  /** Newest first. */
  directories: readonly KnownDirectoryChange[];
  /** The number of files whose versions from that time are no longer kept. */
  lost: number;
}

export async function readLaterChanges(view: HistoryView, id: string): Promise<LaterChanges> {
  const lineages = new Map<string, VersionDocument[]>();
  const directories: KnownDirectoryChange[] = [];
  const seen = new Set<string>();
  for await (const version of view.newerThan(id)) {
    seen.add(getPublicId(version));
    if (version.directories !== undefined) directories.push(version.directories);
    if (version.file === undefined) continue;
    const others = lineages.get(version.file);
    if (others === undefined) lineages.set(version.file, [version]);
    else others.push(version);
  }
  const files = await findChangedFiles(view, [...lineages.values()]);
  const isKept = ({ oldest: { since } }: ChangedFile): boolean =>
    since === undefined || seen.has(since) || !view.isLater(since, id);
  const kept = files.filter(isKept);
  return { files: kept, directories, lost: files.length - kept.length };
}

/**
 * Returns the tree right after the change of a version: the present tree of the view without all later changes.
 * @throws MemoryError ENOENT if a part of the tree is no longer kept
 */
export async function treeAt(view: HistoryView, id: string, later: LaterChanges): Promise<FormerTree> {
  const { tree } = view.present;
  const files = new Map(tree.files);
  const directories = new Set(tree.directories);
  for (const change of later.directories) undoDirectories(directories, change);
  for (const file of later.files) files.delete(getPresentPath(file) ?? "");
  const redacted: string[] = [];
  let { lost } = later;
  for (const file of later.files) {
    if (file.oldest.operation === "created") continue;
    const path = getFormerPath(file);
    const content = await view.textBefore(file.versions, file.before);
    if (content === undefined) lost += 1;
    else if (content === null || path === undefined) redacted.push(path ?? "");
    else files.set(path, createSnapshotFile(path, content, file, tree.files.get(getPresentPath(file) ?? "")));
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
    revision: getRevision(id),
  };
  return { snapshot, redacted };
}

function createSnapshotFile(
  path: string,
  content: string,
  { before, first }: ChangedFile,
  present: SnapshotFile | undefined,
): SnapshotFile {
  const unknown = new Date(0);
  const updatedAt = before?.at ?? present?.createdAt ?? unknown;
  const createdAt = first?.operation === "created" ? first.at : (present?.createdAt ?? updatedAt);
  return { path, kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt };
}

/** Makes the directories before a change of those after it. */
function undoDirectories(directories: Set<string>, { added = [], removed = [], moved }: KnownDirectoryChange): void {
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
