import type { MemoryOutline } from "../../core/memory.js";
import { getPathPrefix } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";

/** Number of levels that a listing shows below its directory. */
const maxDepth = 2;

/**
 * Lists a directory and its contents, depth first, sorted by name in code-unit order, without hidden items and
 * node_modules. The size of a directory counts all files below it, even the files that are not listed.
 *
 * @param shownPath converts a path of the memory to the path that the model knows
 */
export function listDirectory(
  { files, directories }: MemoryOutline,
  path: string,
  shownPath: (path: string) => string,
): string[] {
  const sizes = new Map<string, number>();
  const children = new Map<string, string[]>();
  for (const { path: file, sizeBytes } of files) {
    for (const each of listLevels(file, path)) sizes.set(each, (sizes.get(each) ?? 0) + sizeBytes);
  }
  for (const each of [...directories, ...files.map((file) => file.path)]) {
    const [parent, last] = listLevels(each, path).slice(-2);
    if (parent === undefined || last !== each) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(each);
    else children.set(parent, [each]);
  }
  const list = (current: string, depth: number): string[] => {
    const below = depth === maxDepth ? [] : (children.get(current) ?? []).filter(isListed).toSorted(compareCodeUnits);
    const line = `${sizeText(sizes.get(current) ?? 0)}\t${shownPath(current)}`;
    return [line, ...below.flatMap((child) => list(child, depth + 1))];
  };
  return list(path, 0);
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
  const name = path.slice(path.lastIndexOf("/") + 1);
  return !name.startsWith(".") && name !== "node_modules";
}

/** Formats a size: `0B`, `1023B`, `1.0K`, `1.5K`, `2.0M`. Units are powers of 1,024, with one decimal. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const kilobytes = bytes / 1024;
  return Math.round(kilobytes * 10) < 10_240 ? `${kilobytes.toFixed(1)}K` : `${(kilobytes / 1024).toFixed(1)}M`;
}
