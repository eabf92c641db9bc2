import { posix } from "node:path";
import type { FileInfo, GrepResult } from "deepagents";
import picomatch from "picomatch";
import { MemoryError } from "../core/errors.js";
import { LiteralSearch } from "../core/literal-search.js";
import type { MemoryOutline, MemorySnapshot, OutlineFile } from "../core/memory.js";
import { normalizePath, parentsOf, prefixOf, ROOT } from "../core/paths.js";
import { compareCodeUnits } from "../core/text.js";

/** What lies in a directory itself, sorted by path; nothing where there is no such directory, as deepagents has it. */
export function childrenOf({ files, directories }: MemoryOutline, path: string): FileInfo[] {
  const parent = normalizePath(path, { emptyIsRoot: true });
  const isChild = (other: string): boolean => (parentsOf(other).at(-1) ?? ROOT) === parent;
  const children = [
    ...directories.filter(isChild).map((directory) => ({ path: `${directory}/`, is_dir: true, size: 0 })),
    ...files.filter((file) => isChild(file.path)).map(fileInfo),
  ];
  return children.toSorted((one, other) => compareCodeUnits(one.path, other.path));
}

/** The files below a directory, or the one file, whose path from there matches. A leading slash changes nothing. */
export function filesMatching({ files }: MemoryOutline, pattern: string, path: string): FileInfo[] {
  const isLike = compileGlob(pattern.replace(/^\/+/, ""));
  return within(files, path)
    .filter(({ relative }) => isLike(relative))
    .map(({ file }) => fileInfo(file));
}

export interface GrepQuery {
  /** Literal text, sought in each line. */
  pattern: string;
  /** A directory or a file. */
  path: string;
  /** Compared with names where it has no slash, otherwise with paths from `path` on. */
  glob: string | null;
  maxCount: number;
}

export function linesHolding({ files }: MemorySnapshot, { pattern, path, glob, maxCount }: GrepQuery): GrepResult {
  const matches: NonNullable<GrepResult["matches"]> = [];
  // No line holds it, though a text may.
  if (pattern.includes("\n")) return { matches };
  const search = new LiteralSearch(pattern);
  const isLike = glob ? compileGlob(glob.replace(/^\/+/, "")) : () => true;
  const named = glob?.includes("/") !== true;
  for (const { file, relative } of within(files, path)) {
    if (!isLike(named ? posix.basename(file.path) : relative)) continue;
    for (const found of linesWith(search, file.content)) {
      if (matches.length >= maxCount) return { matches, truncated: true };
      matches.push({ path: file.path, ...found });
    }
  }
  return { matches };
}

/** The whole text is searched rather than each line, so that a long pattern does not begin anew for each of them. */
function* linesWith(search: LiteralSearch, content: string): Generator<{ line: number; text: string }> {
  let line = 1;
  let start = 0;
  for (let at = search.firstIn(content); at !== -1; at = search.firstIn(content, start)) {
    let end = content.indexOf("\n", start);
    for (; end !== -1 && end < at; end = content.indexOf("\n", start)) {
      line += 1;
      start = end + 1;
    }
    yield { line, text: content.slice(start, end === -1 ? content.length : end) };
    if (end === -1) return;
    line += 1;
    start = end + 1;
  }
}

/** The files that `path` is or holds, with what their paths are from there on. */
function within<File extends { path: string }>(files: readonly File[], path: string): { file: File; relative: string }[] {
  const base = normalizePath(path, { emptyIsRoot: true });
  const prefix = prefixOf(base);
  return files.flatMap((file) => {
    if (file.path === base) return [{ file, relative: posix.basename(base) }];
    return file.path.startsWith(prefix) ? [{ file, relative: file.path.slice(prefix.length) }] : [];
  });
}

/** Such as `+(*a)`, whose regular expression can take hours for one name of 40 letters; the process stands still meanwhile. */
const nestedRepetition = /[*+]\([^)]*[*+?!@([{\\]/;

/** Each further star multiplies the time for a name that almost matches, and names have up to 255 characters. */
const maxStars = 4;

function hasTooManyStars(pattern: string): boolean {
  const isOver = (stars: RegExpMatchArray | null): boolean => (stars?.length ?? 0) > maxStars;
  return isOver(pattern.match(/\*\*/g)) || pattern.split("/").some((name) => isOver(name.match(/\*+/g)));
}

/** Patterns mean what they do in deepagents' own backends, which match names that begin with a dot too, but for repeated groups and many stars. */
function compileGlob(pattern: string): (path: string) => boolean {
  if (nestedRepetition.test(pattern)) throw new MemoryError("EINVAL", "invalid glob pattern: a repeated group may hold plain text only");
  if (hasTooManyStars(pattern)) {
    throw new MemoryError("EINVAL", `invalid glob pattern: at most ${maxStars} stars in a name, and ${maxStars} double ones in all`);
  }
  try {
    // `posix` for `[!a]`, which would take "!" for a letter otherwise; `windows` because separators are slashes everywhere;
    // without `regex`, "+" after a group is a plus sign, as outside of groups.
    const isLike = picomatch(pattern, { dot: true, posix: true, windows: false, regex: false });
    return (path) => isLike(path);
  } catch (cause) {
    throw new MemoryError("EINVAL", "invalid glob pattern: it is empty or too long", { cause });
  }
}

function fileInfo({ path, sizeBytes }: OutlineFile): FileInfo {
  return { path, is_dir: false, size: sizeBytes };
}
