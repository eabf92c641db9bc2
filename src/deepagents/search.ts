import { posix } from "node:path";
import type { FileInfo, GrepResult } from "deepagents";
import { LiteralSearch } from "../core/values/literal-search.js";
import type { MemoryOutline, MemorySnapshot, OutlineFile } from "../core/memory.js";
import { normalizePath, getParents, getPathPrefix, ROOT } from "../core/values/paths.js";
import { linesHolding } from "../core/search/lines.js";
import { compareCodeUnits } from "../core/values/text.js";
import { TimeSlices } from "../core/runtime/time-slices.js";
import { compileGlob } from "./glob.js";

/** Returns the entries of a directory, sorted by path. Empty if the directory is missing, as in deepagents. */
export function listChildren({ files, directories }: MemoryOutline, path: string): FileInfo[] {
  const parent = normalizePath(path, { emptyIsRoot: true });
  const isChild = (other: string): boolean => (getParents(other).at(-1) ?? ROOT) === parent;
  const children = [
    ...directories.filter(isChild).map((directory) => ({ path: `${directory}/`, is_dir: true, size: 0 })),
    ...files.filter((file) => isChild(file.path)).map(fileInfo),
  ];
  return children.toSorted((one, other) => compareCodeUnits(one.path, other.path));
}

/**
 * Finds the files below a directory, or the one file, whose path relative to `path` matches. Ignores a leading slash of
 * the pattern.
 */
export async function findFiles(
  { files }: MemoryOutline,
  { pattern, path }: { pattern: string; path: string },
  signal: AbortSignal | null,
): Promise<FileInfo[]> {
  const isLike = compileGlob(pattern.replace(/^\/+/, ""));
  const matching: FileInfo[] = [];
  const slices = new TimeSlices(signal);
  for (const { file, relative } of within(files, path)) {
    if (isLike(relative)) matching.push(fileInfo(file));
    if (slices.isOver()) await slices.next();
  }
  return matching;
}

export interface GrepQuery {
  /** Literal text that is searched for in each line. */
  pattern: string;
  /** A directory or a file. */
  path: string;
  /** Compared with names, or, if it has a slash, with paths relative to `path`. */
  glob: string | null;
  maxCount: number;
}

export async function grepFiles(
  { files }: MemorySnapshot,
  query: GrepQuery,
  signal: AbortSignal | null,
): Promise<GrepResult> {
  const { pattern, path, glob, maxCount } = query;
  const matches: NonNullable<GrepResult["matches"]> = [];
  // A text may contain a line end, but no line does.
  if (pattern.includes("\n")) return { matches };
  const search = new LiteralSearch(pattern);
  const isLike = glob ? compileGlob(glob.replace(/^\/+/, "")) : () => true;
  const named = glob?.includes("/") !== true;
  const slices = new TimeSlices(signal);
  for (const { file, relative } of within(files, path)) {
    if (slices.isOver()) await slices.next();
    if (!isLike(named ? posix.basename(file.path) : relative)) continue;
    for (const found of linesHolding(search, file.content)) {
      if (matches.length >= maxCount) return { matches, truncated: true };
      matches.push({ path: file.path, line: found.line, text: found.text });
      if (slices.isOver()) await slices.next();
    }
  }
  return { matches };
}

/** Returns the file at `path` or the files below it, with their paths relative to `path`. */
function within<File extends { path: string }>(
  files: readonly File[],
  path: string,
): { file: File; relative: string }[] {
  const base = normalizePath(path, { emptyIsRoot: true });
  const prefix = getPathPrefix(base);
  return files.flatMap((file) => {
    if (file.path === base) return [{ file, relative: posix.basename(base) }];
    return file.path.startsWith(prefix) ? [{ file, relative: file.path.slice(prefix.length) }] : [];
  });
}

function fileInfo({ path, sizeBytes }: OutlineFile): FileInfo {
  return { path, is_dir: false, size: sizeBytes };
}
