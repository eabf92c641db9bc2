import type { MemoryOutline, OutlineFile } from "../core/memory.js";
import { filterInSteps, mapInSteps } from "../core/runtime/lists-in-steps.js";
import { mergeSort } from "../core/runtime/sort-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { removeLogMarks } from "../core/search/log-lines.js";
import { sumBytes } from "../core/tree/memory-tree.js";
import { findHiddenDirectory } from "../core/values/paths.js";
import { showPath } from "../core/display/shown-path.js";
import { compareCodeUnits } from "../core/values/text.js";
import { printablePath, quoteContent } from "./fence.js";

/** A file or directory in the form that a model reads. */
export interface ShownEntry {
  /**
   * The path, with a trailing slash for a directory. In the order of these keys, a directory precedes everything below
   * it.
   */
  key: string;
  depth: number;
  line: string;
  /** Undefined for a directory. */
  file?: OutlineFile;
}

/**
 * Lists full paths instead of an indented tree: a model copies paths into tool calls, and would have to put indented
 * names together.
 * @param root as in `RenderMountsOptions`
 * @param logPath a directory that is one line, as a hidden one is
 */
export function* listEntries(
  { files, directories }: MemoryOutline,
  root: string,
  logPath: string | null = null,
): Steps<ShownEntry[]> {
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
  const entries: ShownEntry[] = yield* mapInSteps(shownDirectories, (path) => ({
    key: `${path}/`,
    depth: countSlashes(path),
    // The line of a log must not change with each turn, because prompt caches end where a text changes.
    line: `${formatPath(`${path}/`, root)}${path === logPath ? "" : summarizeHidden(closed.get(path))}`,
  }));
  const fileEntries = yield* mapInSteps(shownFiles, (file) => ({
    key: file.path,
    depth: countSlashes(file.path),
    line: formatFileLine(file, root),
    file,
  }));
  return yield* mergeSort([...entries, ...fileEntries], (a, b) => compareCodeUnits(a.key, b.key));
}

function isInLog(path: string, logPath: string | null): boolean {
  return logPath !== null && path.startsWith(`${logPath}/`);
}

/** Returns a content as a model sees it: a log without its marks. */
export function getShownContent(path: string, content: string, logPath: string | null): string {
  return isInLog(path, logPath) ? removeLogMarks(content) : content;
}

/**
 * Formats a path as tools take it. A relative path begins with a hyphen and a space, so that no name can pass for a
 * note, a sentence of the introduction or a line of a content.
 */
export function formatPath(path: string, root: string): string {
  const shown = printablePath(showPath(path, root));
  return root === "" ? `- ${shown || "./"}` : shown;
}

/** Summarizes a hidden directory, in which dialects keep their own files. */
function summarizeHidden(files: readonly OutlineFile[] | undefined): string {
  if (files === undefined) return "";
  return ` (${files.length} hidden ${files.length === 1 ? "file" : "files"}, ${sumBytes(files)} bytes)`;
}

function countSlashes(path: string): number {
  let count = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) count += 1;
  return count;
}

function formatFileLine({ path, sizeBytes }: OutlineFile, root: string): string {
  return `${formatPath(path, root)} (${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"})`;
}

/**
 * Returns the entries with their contents. Null if a content was not read, or if the contents alone exceed `maxChars`.
 * @param logPath a directory whose texts are shown without the marks of a log
 */
export function* renderContents(
  entries: readonly ShownEntry[],
  maxChars: number,
  logPath: string | null = null,
): Steps<string[] | null> {
  const lines: string[] = [];
  let contentChars = 0;
  for (const [index, { key, line, file }] of entries.entries()) {
    yield;
    if (!file) {
      const isEmpty = entries[index + 1]?.key.startsWith(key) !== true;
      if (isEmpty) lines.push(line);
      continue;
    }
    if (file.content === undefined) return null;
    const content = getShownContent(file.path, file.content, logPath);
    contentChars += content.length;
    if (contentChars > maxChars) return null;
    lines.push(`${line}:`);
    if (content !== "") lines.push(quoteContent(content));
  }
  return lines;
}

/** Returns the entries with their descriptions. */
export function* renderNameLines(
  entries: readonly ShownEntry[],
  descriptions: ReadonlyMap<string, string> | undefined,
): Steps<string[]> {
  return yield* mapInSteps(entries, ({ line, file }) => {
    const description = file && descriptions?.get(file.path);
    return description === undefined ? line : `${line}: ${printablePath(description)}`;
  });
}

export function formatEntryCount(entries: number): string {
  return entries === 1 ? "1 entry" : `${entries} entries`;
}
