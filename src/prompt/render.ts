import type { MemoryScope } from "../core/values/address.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import type { Mount } from "../core/mounts/mounts.js";
import { filterInSteps, mapInSteps, toSetInSteps } from "../core/runtime/lists-in-steps.js";
import { mergeSort } from "../core/runtime/sort-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { getPathPrefix, ROOT, splitPath } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import type { MemoryContent } from "./connector-options.js";
import {
  renderContents,
  type ShownEntry,
  formatEntryCount,
  formatPath,
  renderNameLines,
  listEntries,
} from "./entries.js";
import { fence, fenceWithin, printablePath } from "./fence.js";
import {
  createEmptyIntroduction,
  createIntroduction,
  leftOutWords,
  type OwnedScope,
  describeScope,
  createShortIntroduction,
} from "./introduction.js";

/** The outlines of a memory, or of all memories of a tree. */
export interface ShownMemories {
  /** Whether each memory begins with a line of its own. */
  isTree: boolean;
  outlines: readonly MountOutline[];
}

export interface RenderOptions {
  content: MemoryContent;
  /** Longest text, in UTF-16 units, at least 1. */
  maxChars: number;
  /** As in `Introduced`. */
  insteadOf: OwnedScope | null;
  /** Whether the run names no thread or user. @default false */
  isOwnerMissing?: boolean;
  /** The model's name for the root: `/`, another absolute path, or "" for relative paths. */
  root: string;
  /** The description of each file, by path, for a list of names. */
  descriptions?: ReadonlyMap<string, string>;
  /** The directory of the conversation log. @default none */
  logPath?: string | null;
}

/** The text that shows memories to a model. */
export interface RenderedMemories {
  /** Null if not even a count of the entries fits, or if a run without its thread or user would see empty memories. */
  text: string | null;
  /** The view that fitted. Null without a text. */
  view: MemoryContent | null;
  /** Number of entries that the text leaves out. */
  leftOut: number;
}

/** The shown part of one memory. */
interface Section extends Pick<ShownMemories, "isTree"> {
  /** As in `RenderOptions`. */
  root: string;
  mount: Mount;
  /** Whether the memory has no entries, not even pinned ones. */
  isEmpty: boolean;
  /** Sorted by path. */
  entries: readonly ShownEntry[];
  shown: ReadonlySet<ShownEntry>;
  /** Length limit that some entries exceeded, in UTF-16 units. */
  limit: number;
}

/**
 * Renders memories for a model: the same bytes for the same memories, never longer than `maxChars`. `full` and `index`
 * show the contents or descriptions of each memory that fit, if all fit together.
 */
export function* renderMemories(memories: ShownMemories, options: RenderOptions): Steps<RenderedMemories> {
  const sections = yield* createSections(memories, options.root);
  return yield* render(sections, { ...options, scope: getShownScope(memories.outlines), isTree: memories.isTree });
}

/** Returns the scope of the memory at "/". */
export function getShownScope(outlines: readonly MountOutline[]): MemoryScope {
  return outlines.find(({ mount }) => mount.point === ROOT)?.mount.memory.address.scope ?? "global";
}

/** The files and the limits of a list of names. The lines of mounts count only for `maxChars`. */
export interface NameListOptions extends Pick<RenderOptions, "root" | "descriptions"> {
  /** The paths of files that the message shows in full, so that the list leaves them out. */
  pinnedPaths: ReadonlySet<string>;
  maxChars: number;
  /** The limit for the entries. */
  entryChars: number;
  /** As in `listEntries`. */
  logPath: string | null;
}

/** Renders the lines of a list of names that fit: with descriptions, or else without, and then without the deepest entries. */
export function* renderNames(memories: ShownMemories, options: NameListOptions): Steps<string[]> {
  const { root, descriptions, maxChars, entryChars } = options;
  const sections = yield* createSections(memories, root, options);
  const headerChars = sections.reduce((sum, section) => sum + countChars(renderHeader(section)), 0);
  const limit = Math.min(maxChars, headerChars + entryChars);
  const parts: string[][] = [];
  for (const section of sections)
    parts.push(renderHeader(section), yield* renderNameLines(section.entries, descriptions));
  const rich = parts.flat();
  if (countChars(rich) <= limit) return rich;
  const short = yield* listTreeLines(yield* leaveOut(sections, -headerChars, limit - headerChars));
  const count = [`(${formatEntryCount(sections.reduce((sum, { entries }) => sum + entries.length, 0))} left out)`];
  return [short, count].find((lines) => countChars(lines) <= limit) ?? [];
}

/** Creates a section for each memory. */
function* createSections(
  { isTree, outlines }: ShownMemories,
  root: string,
  { logPath = null, pinnedPaths }: Partial<Pick<NameListOptions, "logPath" | "pinnedPaths">> = {},
): Steps<Section[]> {
  const sections: Section[] = [];
  for (const { mount, outline } of outlines) {
    const all = yield* listEntries(outline, root, logPath);
    const entries = pinnedPaths ? yield* filterInSteps(all, ({ key }) => !pinnedPaths.has(key)) : all;
    const shown = yield* toSetInSteps(entries);
    sections.push({ isTree, root, mount, isEmpty: all.length === 0, entries, shown, limit: Infinity });
  }
  return sections;
}

/** Shortens the introduction first, then leaves out entries, then shows only a count of entries. */
function* render(
  sections: readonly Section[],
  options: RenderOptions & { scope: MemoryScope; isTree: boolean },
): Steps<RenderedMemories> {
  const { content, maxChars, scope, isOwnerMissing = false } = options;
  const total = sections.reduce((sum, { entries }) => sum + entries.length, 0);
  const nothing = { text: null, view: null, leftOut: total };
  const fit = (view: MemoryContent, lines: readonly string[], leftOut: number): RenderedMemories | null => {
    const text = fenceWithin(maxChars, scope, view, lines);
    return text === null ? null : { text, view, leftOut };
  };
  if (total === 0) {
    // The tool refuses every call of a run without its thread or user.
    if (isOwnerMissing) return nothing;
    return (
      fit(content, [...createEmptyIntroduction(options), ...sections.flatMap((each) => renderHeader(each))], 0) ??
      nothing
    );
  }
  const rich = yield* renderRichLines(sections, options);
  const richView = { ...options, view: content };
  const full =
    rich &&
    (fit(content, [...createIntroduction(richView), ...rich.lines], rich.leftOut) ??
      fit(content, [...createShortIntroduction(richView), ...rich.lines], rich.leftOut));
  if (full !== null) return full;
  const treeView = { ...options, view: "tree" as const };
  const short = createShortIntroduction(treeView);
  const whole = fit(
    "tree",
    [...createIntroduction(treeView), ...(yield* listTreeLines(sections))],
    countLeftOut(sections),
  );
  if (whole !== null) return whole;
  const cut = yield* leaveOut(sections, fence(scope, "tree", short).length, maxChars);
  const count = `(${formatEntryCount(total)} left out)`;
  return (
    fit("tree", [...short, ...(yield* listTreeLines(cut))], countLeftOut(cut)) ??
    fit("tree", [...short, count], total) ??
    fit("tree", [count], total) ??
    nothing
  );
}

/** Returns the entries with contents or descriptions, or null if none are requested or none fit. */
function* renderRichLines(
  sections: readonly Section[],
  { content, maxChars, descriptions, logPath }: RenderOptions,
): Steps<{ lines: string[]; leftOut: number } | null> {
  if (content === "tree") return null;
  const all: string[][] = [];
  const leftOut: Section[] = [];
  for (const section of sections) {
    const { entries } = section;
    const lines =
      content === "full"
        ? yield* renderContents(entries, maxChars, logPath)
        : yield* renderNameLines(entries, descriptions);
    if (lines !== null && countChars(lines) <= maxChars) all.push(renderHeader(section), lines);
    else {
      leftOut.push(section);
      const fact = `${leftOutWords[content].toLowerCase()} left out: over ${maxChars} characters`;
      all.push(yield* renderTreeLines(section, fact));
    }
  }
  return leftOut.length === sections.length ? null : { lines: all.flat(), leftOut: countLeftOut(leftOut) };
}

/** Lists the shown paths of all sections. */
function* listTreeLines(sections: readonly Section[]): Steps<string[]> {
  const lines: string[][] = [];
  for (const section of sections) lines.push(yield* renderTreeLines(section));
  return lines.flat();
}

function* renderTreeLines(section: Section, ...facts: string[]): Steps<string[]> {
  const { entries, shown } = section;
  const visible = yield* filterInSteps(entries, (entry) => shown.has(entry));
  return [
    ...renderHeader(section, ...facts),
    ...(yield* mapInSteps(visible, ({ line }) => line)),
    ...renderNote(section),
  ];
}

/** Returns the line that introduces a memory of a tree. */
function renderHeader({ isTree, root, mount, isEmpty }: Section, ...others: string[]): string[] {
  if (!isTree) return [];
  const { point, description, access, memory, missingOwner } = mount;
  const rights = {
    write: [],
    append: ["append-only"],
    read: ["read-only"],
    ask: ["changed only if a person approves"],
  }[access ?? "write"];
  const there = [describeScope(memory.address.scope), ...rights, ...(isEmpty ? ["empty"] : []), ...others];
  const facts = missingOwner === undefined ? there : [`not available: ${missingOwner.message}`];
  const words = description === undefined ? "" : ` - ${printablePath(description.replaceAll(/\s+/g, " ").trim())}`;
  return [`${formatPath(getPathPrefix(point), root)}${words} (${facts.join(", ")})`];
}

/** Counts the entries that the sections do not show. */
function countLeftOut(sections: readonly Section[]): number {
  return sections.reduce((sum, { entries, shown }) => sum + entries.length - shown.size, 0);
}

/** Returns a line that counts the entries left out. */
function renderNote({ entries, shown, limit }: Section): string[] {
  const omitted = entries.length - shown.size;
  if (omitted === 0) return [];
  const total = formatEntryCount(entries.length);
  if (shown.size === 0) return [`(${total} left out)`];
  return [`(${omitted} of ${total} left out, deepest first: limit ${limit} characters)`];
}

/**
 * Leaves out the deepest entries of the sections until the rest fits. Among equally deep entries, the last goes first.
 * @param otherChars length of other text that counts toward the limit
 */
function* leaveOut(sections: readonly Section[], otherChars: number, maxChars: number): Steps<Section[]> {
  let chars = otherChars;
  const cut: (Section & { shown: Set<ShownEntry> })[] = [];
  const candidates: { section: (typeof cut)[number]; entry: ShownEntry; depth: number }[] = [];
  for (const each of sections) {
    const section = { ...each, shown: yield* toSetInSteps(each.shown) };
    cut.push(section);
    chars += countChars(yield* renderTreeLines(section));
    const mountDepth = splitPath(section.mount.point).length;
    for (const candidate of yield* mapInSteps(section.shown, (entry) => ({
      section,
      entry,
      depth: entry.depth - mountDepth,
    })))
      candidates.push(candidate);
  }
  const byDepth = yield* mergeSort(
    candidates,
    (a, b) => a.depth - b.depth || compareCodeUnits(a.entry.key, b.entry.key),
  );
  while (chars > maxChars) {
    const { section, entry } = byDepth.pop() ?? {};
    if (section === undefined || entry === undefined) break;
    yield;
    chars -= countChars([entry.line, ...renderNote(section)]);
    section.shown.delete(entry);
    section.limit = maxChars;
    chars += countChars(renderNote(section));
  }
  return cut;
}

/** Counts the characters, with one line end for each line. */
export function countChars(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
