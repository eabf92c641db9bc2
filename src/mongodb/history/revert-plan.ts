import { describeLaterVersion } from "../../core/history/later-version.js";
import { withPath } from "../../core/values/error-paths.js";
import { invalid, MemoryError, parentIsFile, pathIsDirectory } from "../../core/values/errors.js";
import type { RevertTarget } from "../../core/history/history.js";
import { collectDirectories, getParents, getPathPrefix, isWithin, ROOT } from "../../core/values/paths.js";
import type { TreeRestoration } from "../../core/tree/restore-tree.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import type { HistoryView } from "./history-view.js";
import { movedPath, treeAt } from "./tree-at.js";
import { getPathBefore, getPublicId, isTextRedacted, noSuchVersion, type VersionDocument } from "./version-document.js";

/** The target state of a tree: the texts of some files, null for files to remove. */
interface Target {
  files: Map<string, string | null>;
  renamed: Map<string, string>;
  addedDirectories: Set<string>;
  /** Removed only if they are empty. */
  removedDirectories: Set<string>;
}

/**
 * Plans a revert. The guard sees each text that becomes another one, not that of a file that only moves back.
 * @returns null if nothing has to change.
 * @throws MemoryError ECONFLICT, EINVAL, EISDIR, ENOENT, ENOTDIR
 */
export async function restorationFor(
  view: HistoryView,
  what: RevertTarget,
  { force, guard }: { force: boolean; guard: (path: string, text: string) => Promise<string> },
): Promise<TreeRestoration | null> {
  const tree: MemorySnapshot = view.present.tree ?? { files: [], directories: [], revision: 0 };
  const target =
    "path" in what ? await formerState(view, tree, what.path, what.to) : await undone(view, tree, what, force);
  const present = new Map(tree.files.map(({ path, content }) => [path, content]));
  for (const [path, content] of target.files)
    if (content !== null && present.get(target.renamed.get(path) ?? path) !== content)
      target.files.set(path, await guard(path, content));
  return planRestoration(tree, target);
}

function emptyTarget(): Target {
  return { files: new Map(), renamed: new Map(), addedDirectories: new Set(), removedDirectories: new Set() };
}

/** Plans a file or directory in its state right after a version. */
async function formerState(view: HistoryView, tree: MemorySnapshot, path: string, to: string): Promise<Target> {
  const version = await view.one(to);
  const target = emptyTarget();
  const last = await view.lastAt(path);
  const isOfFile = version.path === path || (last !== null && version.file === last.file);
  if (isOfFile) {
    if (isTextRedacted(version)) throw redactedText(to);
    const content = await view.readText(version);
    if (content === null && version.operation !== "deleted") throw redactedText(to);
    target.files.set(path, content);
    return target;
  }
  const { snapshot, redacted } = await treeAt(view, to);
  if (redacted.some((other) => other === "" || isWithin(other, path))) throw redactedText(to);
  for (const file of tree.files) if (isWithin(file.path, path)) target.files.set(file.path, null);
  for (const file of snapshot.files) if (isWithin(file.path, path)) target.files.set(file.path, file.content);
  for (const directory of tree.directories) if (isWithin(directory, path)) target.removedDirectories.add(directory);
  for (const directory of snapshot.directories) if (isWithin(directory, path)) target.addedDirectories.add(directory);
  return target;
}

function redactedText(id: string): MemoryError {
  return invalid(`version ${id} cannot be restored: its text, or one of its time, is redacted`);
}

/** Plans the tree without the changes of a run or a call. */
async function undone(
  view: HistoryView,
  tree: MemorySnapshot,
  what: Exclude<RevertTarget, { path: string }>,
  force: boolean,
): Promise<Target> {
  const own = await versionsBy(view, what);
  const [first] = own;
  if (first === undefined) {
    const source = "runId" in what ? `the run ${what.runId}` : `the call ${what.toolCallId}`;
    throw new MemoryError("ENOENT", `ENOENT: the memory has no version of ${source}`);
  }
  const ids = new Set(own.map(getPublicId));
  const target = emptyTarget();
  const present = new Map(tree.files.map(({ path, content }) => [path, content]));
  const restored: { path: string; content: string; from: string | null }[] = [];
  const conflicts: VersionDocument[] = [];
  for (const file of new Set(own.flatMap((version) => version.file ?? []))) {
    const oldest = own.findLast((version) => version.file === file);
    if (oldest === undefined) continue;
    const later = await view.lineage(file, getPublicId(oldest));
    const newest = later[0] ?? oldest;
    const presentPath =
      newest.operation === "deleted" || newest.path === undefined || !present.has(newest.path) ? null : newest.path;
    const other = later.findLast((version) => !ids.has(getPublicId(version)));
    const former = await formerFile(view, [...later, oldest]);
    const isUndoneAlready =
      former === null
        ? presentPath === null
        : presentPath === former.path && present.get(former.path) === former.content;
    if (isUndoneAlready) continue;
    if (other !== undefined) conflicts.push(other);
    if (presentPath !== null) target.files.set(presentPath, null);
    if (former !== null) restored.push({ ...former, from: presentPath });
  }
  for (const { path, content, from } of restored) {
    if (present.has(path) && !target.files.has(path)) {
      const occupant = present.get(path) === content ? null : await view.lastAt(path);
      if (occupant !== null) conflicts.push(occupant);
    }
    target.files.set(path, content);
    if (from !== null && from !== path) target.renamed.set(path, from);
  }
  const [conflict] = conflicts;
  if (conflict !== undefined && !force) throw laterChange(conflict);
  undoDirectories(own, tree, target);
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

/** Reads a file before the oldest of these versions, which are all of one file. @throws MemoryError ENOENT, EINVAL */
async function formerFile(
  view: HistoryView,
  versions: readonly VersionDocument[],
): Promise<{ path: string; content: string } | null> {
  const oldest = versions.at(-1);
  if (oldest === undefined || oldest.operation === "created") return null;
  const head = oldest.since === undefined ? undefined : (await view.several([oldest.since])).get(oldest.since);
  const content = await view.textBefore(versions, head);
  const path = getPathBefore(oldest, head);
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

function undoDirectories(own: readonly VersionDocument[], tree: MemorySnapshot, target: Target): void {
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
function planRestoration(tree: MemorySnapshot, target: Target): TreeRestoration | null {
  const present = new Map(tree.files.map(({ path, content }) => [path, content]));
  const files = new Map(
    [...target.files].filter(([path, content]) =>
      content === null ? present.has(path) : present.get(path) !== content,
    ),
  );
  const renamed = new Map(
    [...target.renamed].filter(([path, from]) => files.get(from) === null && !present.has(path) && files.has(path)),
  );
  const after = new Set([...present.keys()].filter((path) => files.get(path) !== null));
  for (const [path, content] of files) if (content !== null) after.add(path);
  const needed = collectDirectories([...after, ...target.addedDirectories]);
  for (const path of target.addedDirectories) needed.add(path);
  const held = new Set(tree.directories);
  const removed = emptyDirectories(tree, target.removedDirectories, needed, after);
  const addedDirectories = [...needed].filter((path) => !held.has(path) && path !== ROOT);
  for (const [path, content] of files) {
    if (content === null) continue;
    if ((held.has(path) && !removed.has(path)) || needed.has(path)) throw withPath(pathIsDirectory(), path);
    if (getParents(path).some((parent) => after.has(parent))) throw withPath(parentIsFile(), path);
  }
  if (files.size === 0 && addedDirectories.length === 0 && removed.size === 0) return null;
  return { files, renamed, addedDirectories, removedDirectories: [...removed], tree };
}

function emptyDirectories(
  tree: MemorySnapshot,
  candidates: ReadonlySet<string>,
  needed: ReadonlySet<string>,
  files: ReadonlySet<string>,
): Set<string> {
  const removed = new Set<string>();
  // The deepest come first: a directory may only contain directories that are removed too.
  for (const path of tree.directories
    .filter((each) => candidates.has(each) && !needed.has(each))
    .toSorted((a, b) => b.length - a.length)) {
    const isBelow = (other: string): boolean => other.startsWith(getPathPrefix(path));
    if (![...files].some(isBelow) && !tree.directories.some((other) => isBelow(other) && !removed.has(other)))
      removed.add(path);
  }
  return removed;
}
