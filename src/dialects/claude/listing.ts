import type { MemoryOutline } from "../../core/memory.js";
import { mergeSort } from "../../core/runtime/sort-in-steps.js";
import type { Steps } from "../../core/runtime/time-slices.js";
import { getName, getPathPrefix } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";

/** Number of levels that a listing shows below its directory. */
const maxDepth = 2;

/** Entries that are read, or lines that are written, in one step. */
const stepLength = 1000;

/**
 * Lists a directory and its contents in steps, depth first, sorted by name in code-unit order, without hidden items and
 * node_modules. The size of a directory counts all files below it, even the files that are not listed.
 *
 * @param shownPath converts a path of the memory to the path that the model knows
 */
export function* listDirectory(
  { files, directories }: MemoryOutline,
  path: string,
  shownPath: (path: string) => string,
): Steps<string[]> {
  const sizes = new Map<string, number>();
  const children = new Map<string, string[]>();
  const add = (entry: string, levels: readonly string[]): void => {
    const [parent, last] = levels.slice(-2);
    if (parent === undefined || last !== entry) return;
    const siblings = children.get(parent);
    if (siblings) siblings.push(entry);
    else children.set(parent, [entry]);
  };
  for (const [step, directory] of directories.entries()) {
    if (step % stepLength === 0) yield;
    add(directory, listLevels(directory, path));
  }
  for (const [step, { path: file, sizeBytes }] of files.entries()) {
    if (step % stepLength === 0) yield;
    const levels = listLevels(file, path);
    for (const each of levels) sizes.set(each, (sizes.get(each) ?? 0) + sizeBytes);
    add(file, levels);
  }
  const lines: string[] = [];
  const list = function* (current: string, depth: number): Steps<void> {
    lines.push(`${sizeText(sizes.get(current) ?? 0)}\t${shownPath(current)}`);
    if (lines.length % stepLength === 0) yield;
    const below = depth === maxDepth ? [] : (children.get(current) ?? []).filter(isListed);
    for (const child of yield* mergeSort(below, compareCodeUnits)) yield* list(child, depth + 1);
  };
  yield* list(path, 0);
  return lines;
}

/**
 * The directory `top` and the ancestors of `path` on the listed levels, including `path` itself. Empty for a path
 * elsewhere.
 */
function listLevels(path: string, top: string): string[] {
  const prefix = getPathPrefix(top);
  if (path === top) return [top];
  if (!path.startsWith(prefix)) return [];
  const found = [top];
  let end = prefix.length - 1;
  while (found.length <= maxDepth && end < path.length) {
    const slash = path.indexOf("/", end + 1);
    end = slash === -1 ? path.length : slash;
    found.push(path.slice(0, end));
  }
  return found;
}

function isListed(path: string): boolean {
  const name = getName(path);
  return !name.startsWith(".") && name !== "node_modules";
}

/** Formats a size: `0B`, `1023B`, `1.0K`, `1.5K`, `2.0M`. Units are powers of 1,024, with one decimal. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const kilobytes = bytes / 1024;
  return Math.round(kilobytes * 10) < 10_240 ? `${kilobytes.toFixed(1)}K` : `${(kilobytes / 1024).toFixed(1)}M`;
}
