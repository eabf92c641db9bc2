import type { MemoryScope } from "../core/values/address.js";
import type { MemoryOutline, OutlineFile } from "../core/memory.js";
import { hiddenDirectoryOf } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import type { MemoryContent } from "./connector-options.js";
import { fence, fenceWithin, printablePath, quoteContent } from "./fence.js";
import { type Introduced, introduction, type OwnedScope, shortIntroduction } from "./introduction.js";

export interface RenderOptions {
  content: MemoryContent;
  /** Longest text, in UTF-16 units, at least 1. */
  maxChars: number;
  /** The scope of the memory that is shown. */
  scope: MemoryScope;
  /** As in {@link Introduced}. */
  insteadOf: OwnedScope | null;
  /** What files say of themselves, by path, for an index. */
  descriptions?: ReadonlyMap<string, string>;
}

export interface Entry {
  /** The path, with a trailing slash for a directory: sorted by it, a directory is followed by all below it. */
  key: string;
  depth: number;
  line: string;
  /** Absent for a directory. */
  file?: OutlineFile;
}

/**
 * The text that shows a memory to a model: the same bytes for the same memory, never longer than `maxChars`.
 * @returns null where the memory is empty, or where not even a count of its entries fits.
 */
export function renderMemory(outline: MemoryOutline, options: RenderOptions): string | null {
  const entries = sortedEntries(outline);
  if (entries.length === 0) return null;
  return (
    renderFull(entries, options) ?? renderIndex(entries, options) ?? renderTree(entries, options, outline.moreThan)
  );
}

/**
 * Full paths rather than indentation: a model copies them into tool calls, and an indented name must be put together.
 */
export function sortedEntries({ files, directories, uncounted = [] }: MemoryOutline): Entry[] {
  const hidden = new Map<string, OutlineFile[]>();
  for (const path of directories) if (hiddenDirectoryOf(`${path}/`) === path) hidden.set(path, []);
  for (const file of files) hidden.get(hiddenDirectoryOf(file.path) ?? "")?.push(file);
  const isShown = (path: string): boolean => !hidden.has(hiddenDirectoryOf(path) ?? "");
  const entries = [
    ...directories
      .filter((path) => isShown(path))
      .map((path) => ({
        key: `${path}/`,
        depth: depthOf(path),
        line: `${printablePath(path)}/${hiddenSummary(hidden.get(path), !uncounted.includes(path))}`,
      })),
    ...files
      .filter((file) => isShown(file.path))
      .map((file) => ({ key: file.path, depth: depthOf(file.path), line: fileLine(file), file })),
  ];
  return entries.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

/** What dialects keep for themselves is one line. */
function hiddenSummary(hidden: readonly OutlineFile[] | undefined, isCounted: boolean): string {
  if (hidden === undefined) return "";
  if (!isCounted) return ` (more than ${hidden.length} hidden files)`;
  const sizeBytes = hidden.reduce((sum, file) => sum + file.sizeBytes, 0);
  return ` (${hidden.length} hidden ${hidden.length === 1 ? "file" : "files"}, ${sizeBytes} bytes)`;
}

/** How many slashes it has. */
function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth += 1;
  return depth;
}

function fileLine({ path, sizeBytes }: OutlineFile): string {
  return `${printablePath(path)} (${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"})`;
}

/** Null where contents are not wanted, not at hand or too long. */
function renderFull(entries: readonly Entry[], options: RenderOptions): string | null {
  const lines = options.content === "full" ? contentLines(entries, options.maxChars) : null;
  if (lines === null) return null;
  const introduced = introducedBy(options, "full");
  return (
    fenceWithin(options.maxChars, options.scope, "full", [...introduction(introduced), ...lines]) ??
    fenceWithin(options.maxChars, options.scope, "full", [...shortIntroduction(introduced), ...lines])
  );
}

/** The entries with their contents. Null where those are not at hand or exceed `maxChars` by themselves. */
export function contentLines(entries: readonly Entry[], maxChars: number): string[] | null {
  const lines: string[] = [];
  let contentChars = 0;
  for (const [index, { key, line, file }] of entries.entries()) {
    if (!file) {
      const isEmpty = entries[index + 1]?.key.startsWith(key) !== true;
      if (isEmpty) lines.push(line);
      continue;
    }
    if (file.content === undefined) return null;
    contentChars += file.content.length;
    if (contentChars > maxChars) return null;
    lines.push(`${line}:`);
    if (file.content !== "") lines.push(quoteContent(file.content));
  }
  return lines;
}

/** Null where no index is wanted, or it is too long. */
function renderIndex(entries: readonly Entry[], options: RenderOptions): string | null {
  if (options.content !== "index") return null;
  const { scope, maxChars, descriptions } = options;
  const lines = indexLines(entries, descriptions);
  const introduced = introducedBy(options, "index");
  return (
    fenceWithin(maxChars, scope, "index", [...introduction(introduced), ...lines]) ??
    fenceWithin(maxChars, scope, "index", [...shortIntroduction(introduced), ...lines])
  );
}

/** The entries with what they say of themselves. */
export function indexLines(entries: readonly Entry[], descriptions: ReadonlyMap<string, string> | undefined): string[] {
  return entries.map(({ line, file }) => {
    const description = file && descriptions?.get(file.path);
    return description === undefined ? line : `${line}: ${printablePath(description)}`;
  });
}

/** Words go before entries: a shorter introduction, then fewer entries, then only a count of them. */
function renderTree(entries: readonly Entry[], options: RenderOptions, moreThan: number | undefined): string | null {
  const { scope, maxChars } = options;
  const introduced = introducedBy(options, options.content === "tree" ? "tree" : `tree instead of ${options.content}`);
  const lines = entries.map(({ line }) => line);
  const short = shortIntroduction(introduced);
  const count = `(${counted(entries.length, moreThan)} left out)`;
  return (
    fenceWithin(maxChars, scope, "tree", [...introduction(introduced), ...lines]) ??
    fitTree(entries, short, options, moreThan) ??
    fenceWithin(maxChars, scope, "tree", [...short, count]) ??
    fenceWithin(maxChars, scope, "tree", [count])
  );
}

/** Leaves out the deepest entries, within one depth the last, until the rest fits. Null where that would be all. */
function fitTree(
  entries: readonly Entry[],
  lead: readonly string[],
  options: RenderOptions,
  moreThan: number | undefined,
): string | null {
  const { scope, maxChars } = options;
  const deepestFirst = entries.toSorted((a, b) => a.depth - b.depth).toReversed();
  let chars = entries.reduce((sum, { line }) => sum + withNewline(line), fence(scope, "tree", lead).length);
  for (const [omitted, { line }] of deepestFirst.entries()) {
    const note = omitted === 0 ? [] : [omission(omitted, { entries: entries.length, moreThan }, maxChars)];
    if (note.reduce((sum, text) => sum + withNewline(text), chars) <= maxChars) {
      const shown = new Set(deepestFirst.slice(omitted));
      const lines = entries.filter((entry) => shown.has(entry)).map((entry) => entry.line);
      return fence(scope, "tree", [...lead, ...lines, ...note]);
    }
    chars -= withNewline(line);
  }
  return null;
}

export function withNewline(line: string): number {
  return line.length + 1;
}

function introducedBy({ scope, insteadOf, maxChars }: RenderOptions, view: Introduced["view"]): Introduced {
  return { scope, insteadOf, view, maxChars };
}

/** @param total as {@link counted} */
export function omission(
  omitted: number,
  total: { entries: number; moreThan: number | undefined },
  maxChars: number,
): string {
  const words = counted(total.entries, total.moreThan);
  return `(${total.moreThan === undefined ? `${omitted} of ${words}` : words} left out, deepest first: limit ${maxChars} characters)`;
}

/** @param moreThan of how many more are not even known */
export function counted(entries: number, moreThan?: number): string {
  if (moreThan !== undefined) return `more than ${moreThan} entries`;
  return entries === 1 ? "1 entry" : `${entries} entries`;
}
