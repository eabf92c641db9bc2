import { describeLaterVersion } from "../../core/history/later-version.js";
import { withPath } from "../../core/values/error-paths.js";
import { invalid, MemoryError, parentIsFile, pathIsDirectory } from "../../core/values/errors.js";
import type { RevertTarget } from "../../core/history/history.js";
import { collectDirectories, getParents, getPathPrefix, isWithin, ROOT } from "../../core/values/paths.js";
import type { ChangeScope } from "../../core/tree/change.js";
import type { MemoryTree } from "../../core/tree/memory-tree.js";
import type { TreeRestoration } from "../../core/tree/restore-tree.js";
import { type ChangedFile, findChangedFiles, getFormerPath, getPresentPath, listPaths } from "./changed-files.js";
import type { HistoryView } from "./history-view.js";
import { movedPath, readLaterChanges, treeAt } from "./tree-at.js";
import { getPublicId, isTextRedacted, noSuchVersion, type VersionDocument } from "./version-document.js";

/** The target state of a tree: the texts of some files, null for files to remove. */
interface Target {
  files: Map<string, string | null>;
  renamed: Map<string, string>;
  addedDirectories: Set<string>;
  /** Removed only if they are empty. */
  removedDirectories: Set<string>;
}

/** A revert of which the versions are known. */
export interface FoundRevert {
  /** The part of the memory that it needs. */
  scope: ChangeScope;
  /** Returns its target, once the view has that part. @throws MemoryError ECONFLICT, EINVAL, ENOENT */
  findTarget: () => Promise<Target>;
}

/** Finds the versions that a revert concerns. @throws MemoryError ENOENT */
export async function findRevert(view: HistoryView, what: RevertTarget, force: boolean): Promise<FoundRevert> {
  if (!("path" in what)) return findUndone(view, what, force);
  const { path, to } = what;
  const version = await view.one(to);
  const last = await view.lastAt(path);
  const isOfFile = version.path === path || (last !== null && version.file === last.file);
  return isOfFile ? findFile(view, path, version) : findDirectory(view, path, to);
}

/**
 * Plans a revert. The guard sees each text that becomes another one, not that of a file that only moves back.
 * @param tree the part of the memory that the revert needs
 * @returns null if nothing has to change.
 * @throws MemoryError EISDIR, ENOTDIR
 */
export async function planRestoration(
  tree: MemoryTree,
  target: Target,
  guard: (path: string, text: string) => Promise<string>,
): Promise<TreeRestoration | null> {
  for (const [path, content] of target.files)
    if (content !== null && tree.files.get(target.renamed.get(path) ?? path)?.content !== content)
      target.files.set(path, await guard(path, content));
  return createRestoration(tree, target);
}

function emptyTarget(): Target {
  return { files: new Map(), renamed: new Map(), addedDirectories: new Set(), removedDirectories: new Set() };
}

/** Finds a path as it was right after a version of a file. */
async function findFile(view: HistoryView, path: string, version: VersionDocument): Promise<FoundRevert> {
  const id = getPublicId(version);
  const newer = await view.lineage(version.file ?? "", id);
  const present = getPresentPath({ newest: newer[0] ?? version });
  return {
    scope: { paths: present === undefined || present === path ? [path] : [path, present], below: [] },
    findTarget: async () => {
      if (isTextRedacted(version)) throw redactedText(id);
      const content = await view.restoreText(version, newer);
      if (content === null && version.operation !== "deleted") throw redactedText(id);
      return { ...emptyTarget(), files: new Map([[path, content]]) };
    },
  };
}

/** Finds a directory as it was right after a version. */
async function findDirectory(view: HistoryView, path: string, id: string): Promise<FoundRevert> {
  const later = await readLaterChanges(view, id);
  const paths = later.files.map(listPaths).filter((each) => each.some((other) => isWithin(other, path)));
  const moved = later.directories.flatMap(({ moved: { to } = {} }) => to ?? []);
  return {
    scope: { paths: [path, ...paths.flat()], below: [path, ...moved] },
    findTarget: async () => {
      const { tree } = view.present;
      const { snapshot, redacted } = await treeAt(view, id, later);
      if (redacted.some((other) => other === "" || isWithin(other, path))) throw redactedText(id);
      const target = emptyTarget();
      for (const file of tree.within(path).files) target.files.set(file.path, null);
      for (const file of snapshot.files) if (isWithin(file.path, path)) target.files.set(file.path, file.content);
      for (const directory of tree.within(path).directories) target.removedDirectories.add(directory);
      for (const directory of snapshot.directories)
        if (isWithin(directory, path)) target.addedDirectories.add(directory);
      return target;
    },
  };
}

function redactedText(id: string): MemoryError {
  return invalid(`version ${id} cannot be restored: its text, or one of its time, is redacted`);
}

/** Finds the tree without the changes of a run or a call. */
async function findUndone(
  view: HistoryView,
  what: Exclude<RevertTarget, { path: string }>,
  force: boolean,
): Promise<FoundRevert> {
  const own = await versionsBy(view, what);
  if (own.length === 0) {
    const source = "runId" in what ? `the run ${what.runId}` : `the call ${what.toolCallId}`;
    throw new MemoryError("ENOENT", `ENOENT: the memory has no version of ${source}`);
  }
  const lineages: VersionDocument[][] = [];
  for (const file of new Set(own.flatMap((version) => version.file ?? []))) {
    const oldest = own.findLast((version) => version.file === file);
    if (oldest !== undefined) lineages.push([...(await view.lineage(file, getPublicId(oldest))), oldest]);
  }
  const files = await findChangedFiles(view, lineages);
  const directories = own.flatMap(({ directories: each }) => each ?? []);
  const moved = directories.flatMap(({ moved: { from, to } = {} }) => [from, to]).filter((path) => path !== undefined);
  const added = directories.flatMap((each) => each.added ?? []);
  const removed = directories.flatMap((each) => each.removed ?? []);
  return {
    scope: {
      paths: [...files.flatMap(listPaths), ...added, ...removed, ...moved],
      below: [...added, ...moved],
    },
    findTarget: async () => {
      const target = await undoFiles(view, files, new Set(own.map(getPublicId)), force);
      undoDirectories(own, view.present.tree, target);
      return target;
    },
  };
}

/** @param own the ids of the versions that are undone. @throws MemoryError ECONFLICT, EINVAL, ENOENT */
async function undoFiles(
  view: HistoryView,
  changed: readonly ChangedFile[],
  own: ReadonlySet<string>,
  force: boolean,
): Promise<Target> {
  const { files } = view.present.tree;
  const target = emptyTarget();
  const restored: { path: string; content: string; from: string | null }[] = [];
  const conflicts: VersionDocument[] = [];
  for (const file of changed) {
    const path = getPresentPath(file) ?? "";
    const present = files.get(path);
    const former = await readFormer(view, file);
    const isUndoneAlready =
      former === null ? present === undefined : path === former.path && present?.content === former.content;
    if (isUndoneAlready) continue;
    const other = file.versions.findLast((version) => !own.has(getPublicId(version)));
    if (other !== undefined) conflicts.push(other);
    if (present !== undefined) target.files.set(path, null);
    if (former !== null) restored.push({ ...former, from: present === undefined ? null : path });
  }
  for (const { path, content, from } of restored) {
    const occupant = files.get(path);
    if (occupant !== undefined && !target.files.has(path) && occupant.content !== content) {
      const last = await view.lastAt(path);
      if (last !== null) conflicts.push(last);
    }
    target.files.set(path, content);
    if (from !== null && from !== path) target.renamed.set(path, from);
  }
  const [conflict] = conflicts;
  if (conflict !== undefined && !force) throw laterChange(conflict);
  return target;
}

/** Reads all versions of a run or a call, newest first. */
async function versionsBy(
  view: HistoryView,
  actor: { runId: string } | { toolCallId: string },
): Promise<VersionDocument[]> {
  const pageSize = 500;
  const found: VersionDocument[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await view.page({ actor }, pageSize, last === undefined ? null : getPublicId(last));
    found.push(...page);
    if (page.length < pageSize) return found;
  }
}

/** Reads a file before its versions. Null if there was none. @throws MemoryError ENOENT, EINVAL */
async function readFormer(view: HistoryView, file: ChangedFile): Promise<{ path: string; content: string } | null> {
  const { versions, oldest, before } = file;
  if (oldest.operation === "created") return null;
  const content = await view.textBefore(versions, before);
  const path = getFormerPath(file);
  if (content === undefined) throw noSuchVersion(oldest.since ?? getPublicId(oldest));
  if (content === null || path === undefined) throw redactedText(oldest.since ?? getPublicId(oldest));
  return { path, content };
}

function laterChange(version: VersionDocument): MemoryError {
  const { path, operation = "changed", actor } = version;
  const laterVersion = { id: getPublicId(version), operation, actor, isRedacted: path === undefined };
  const message = `ECONFLICT: ${describeLaterVersion(laterVersion, path)}; pass force to undo it`;
  const error = new MemoryError("ECONFLICT", message, { details: { laterVersion } });
  return path === undefined ? error : withPath(error, path);
}

function undoDirectories(own: readonly VersionDocument[], tree: MemoryTree, target: Target): void {
  for (const { directories: { added = [], removed = [], moved } = {} } of own) {
    for (const path of added) target.removedDirectories.add(path);
    for (const path of removed) target.addedDirectories.add(path);
    // A redacted name is unknown.
    if (moved?.from === undefined || moved.to === undefined) continue;
    for (const path of tree.directories) {
      const back = movedPath(path, moved.to, moved.from);
      if (back === null) continue;
      target.removedDirectories.add(path);
      target.addedDirectories.add(back);
    }
  }
}

/** Keeps only differences from the tree. */
function createRestoration(tree: MemoryTree, target: Target): TreeRestoration | null {
  const { files: present, directories: held } = tree;
  const files = new Map(
    [...target.files].filter(([path, content]) =>
      content === null ? present.has(path) : present.get(path)?.content !== content,
    ),
  );
  const renamed = new Map(
    [...target.renamed].filter(([path, from]) => files.get(from) === null && !present.has(path) && files.has(path)),
  );
  const after = new Set([...present.keys()].filter((path) => files.get(path) !== null));
  for (const [path, content] of files) if (content !== null) after.add(path);
  const needed = collectDirectories([...after, ...target.addedDirectories]);
  for (const path of target.addedDirectories) needed.add(path);
  const removed = emptyDirectories(tree, target.removedDirectories, needed, after);
  const addedDirectories = [...needed].filter((path) => !held.has(path) && path !== ROOT);
  for (const [path, content] of files) {
    if (content === null) continue;
    if ((held.has(path) && !removed.has(path)) || needed.has(path)) throw withPath(pathIsDirectory(), path);
    if (getParents(path).some((parent) => after.has(parent))) throw withPath(parentIsFile(), path);
  }
  if (files.size === 0 && addedDirectories.length === 0 && removed.size === 0) return null;
  return { files, renamed, addedDirectories, removedDirectories: [...removed] };
}

function emptyDirectories(
  tree: MemoryTree,
  candidates: ReadonlySet<string>,
  needed: ReadonlySet<string>,
  files: ReadonlySet<string>,
): Set<string> {
  const removed = new Set<string>();
  const directories = [...tree.directories];
  // The deepest come first: a directory may only contain directories that are removed too.
  for (const path of directories
    .filter((each) => candidates.has(each) && !needed.has(each))
    .toSorted((a, b) => b.length - a.length)) {
    const isBelow = (other: string): boolean => other.startsWith(getPathPrefix(path));
    if (![...files].some(isBelow) && !directories.some((other) => isBelow(other) && !removed.has(other)))
      removed.add(path);
  }
  return removed;
}
