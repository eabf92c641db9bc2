import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import type { OutlineFile } from "../core/memory.js";
import { filterInSteps, mapInSteps } from "../core/runtime/lists-in-steps.js";
import { mergeSort } from "../core/runtime/sort-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { sumBytes } from "../core/tree/memory-tree.js";
import { findHiddenDirectory, getPathPrefix } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import { formatPath, printablePath } from "./fence.js";
import { describeScope } from "./introduction.js";
import type { PromptLine } from "./part.js";

/** The outlines of a memory, or of all memories of a tree. */
export interface ShownMemories {
  /** Whether each memory has a line with its directory. */
  isTree: boolean;
  outlines: readonly MountOutline[];
}

/** A file or directory, by the line that names it. */
export interface NamedEntry extends PromptLine {
  /** Undefined for a directory. */
  file?: OutlineFile;
}

/** Creates the line that names a file or directory. */
export function createName(path: string, text: string): PromptLine {
  return { path, number: 0, text, firstLine: 0, lastLine: 0 };
}

/** Returns the line of each memory of a tree: its directory, and how the model may use it. */
export function listMounts({ isTree, outlines }: ShownMemories, root: string): PromptLine[] {
  return (isTree ? outlines : []).map(({ mount, outline }) => {
    const { point, description, access, memory, missingOwner } = mount;
    const rights = {
      write: [],
      append: ["append-only"],
      read: ["read-only"],
      ask: ["changed only if a person approves"],
    }[access ?? "write"];
    const facts = [describeScope(memory.address.scope), ...rights, ...(isEmpty(outline) ? ["empty"] : [])];
    const shown = missingOwner === undefined ? facts : [`not available: ${missingOwner.message}`];
    const words = description === undefined ? "" : ` - ${printablePath(description.replaceAll(/\s+/g, " ").trim())}`;
    const path = getPathPrefix(point);
    return createName(path, `${formatPath(path, root)}${words} (${shown.join(", ")})`);
  });
}

export function isEmpty({ files, directories }: MountOutline["outline"]): boolean {
  return files.length === 0 && directories.length === 0;
}

/**
 * Lists the files and directories of all memories, those nearest to the root first. Their names are full paths instead
 * of an indented tree: a model copies paths into tool calls, and would have to put indented names together.
 * @param root as in `RenderOptions`
 * @param logPath a directory that is one line, as a hidden one is
 */
export function* listEntries(
  outlines: readonly MountOutline[],
  root: string,
  logPath: string | null,
): Steps<NamedEntry[]> {
  const all: { entry: NamedEntry; depth: number }[] = [];
  for (const { mount, outline } of outlines) {
    const mountDepth = getDepth(getPathPrefix(mount.point));
    for (const entry of yield* listOwnEntries(outline, root, logPath))
      all.push({ entry, depth: getDepth(entry.path) - mountDepth });
  }
  const sorted = yield* mergeSort(all, (a, b) => a.depth - b.depth || compareCodeUnits(a.entry.path, b.entry.path));
  return yield* mapInSteps(sorted, ({ entry }) => entry);
}

function* listOwnEntries(
  { files, directories }: MountOutline["outline"],
  root: string,
  logPath: string | null,
): Steps<NamedEntry[]> {
  const findClosed = (path: string): string | undefined =>
    findHiddenDirectory(path) ?? (isInLog(path, logPath) ? (logPath ?? undefined) : undefined);
  const closed = new Map<string, OutlineFile[]>();
  for (const path of yield* filterInSteps(directories, (each) => findClosed(`${each}/`) === each)) closed.set(path, []);
  const isShown = (path: string): boolean => !closed.has(findClosed(path) ?? "");
  const shownDirectories = yield* filterInSteps(directories, isShown);
  const shownFiles = yield* filterInSteps(files, (file) => {
    closed.get(findClosed(file.path) ?? "")?.push(file);
    return isShown(file.path);
  });
  const directoryEntries = yield* mapInSteps(shownDirectories, (path): NamedEntry => {
    // The line of a log must not change with each turn, because prompt caches end where a text changes.
    const facts = path === logPath ? "" : summarizeHidden(closed.get(path));
    return createName(`${path}/`, `${formatPath(`${path}/`, root)}${facts}`);
  });
  const fileEntries = yield* mapInSteps(shownFiles, (file): NamedEntry => {
    const { path, sizeBytes } = file;
    const size = `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
    return { ...createName(path, `${formatPath(path, root)} (${size})`), file };
  });
  return [...directoryEntries, ...fileEntries];
}

export function isInLog(path: string, logPath: string | null): boolean {
  return logPath !== null && path.startsWith(`${logPath}/`);
}

/** Summarizes a hidden directory, in which dialects keep their own files. */
function summarizeHidden(files: readonly OutlineFile[] | undefined): string {
  if (files === undefined) return "";
  return ` (${files.length} hidden ${files.length === 1 ? "file" : "files"}, ${sumBytes(files)} bytes)`;
}

/** Counts the directories from the root to a path that ends with a slash, or to a file. */
function getDepth(path: string): number {
  return path.slice(0, -1).split("/").length;
}
