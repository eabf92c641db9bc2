import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import type { Mount } from "../core/mounts/mounts.js";
import { prefixOf, ROOT, segmentsOf } from "../core/values/paths.js";
import { compareCodeUnits } from "../core/values/text.js";
import type { MemoryContent } from "./connector-options.js";
import { fence, fenceWithin, printablePath } from "./fence.js";
import {
  type IntroducedMounts,
  leftOut,
  mountsIntroduction,
  type OwnedScope,
  scopeWords,
  shortMountsIntroduction,
} from "./introduction.js";
import { contentLines, counted, type Entry, indexLines, omission, sortedEntries, withNewline } from "./render.js";

export interface RenderMountsOptions {
  content: MemoryContent;
  /** Longest text, in UTF-16 units, at least 1. */
  maxChars: number;
  /** As in `Introduced`. */
  insteadOf: OwnedScope | null;
  /** What files say of themselves, by path, for an index. */
  descriptions: ReadonlyMap<string, string>;
}

/** What is shown of one mount. */
interface Section {
  mount: Mount;
  /** In order of their paths. */
  entries: readonly Entry[];
  /** As in `MemoryOutline`. */
  moreThan: number | undefined;
  shown: ReadonlySet<Entry>;
  /** For which some are not shown, in UTF-16 units. */
  limit: number;
}

/**
 * The text that shows a tree of mounts to a model: a line for each mount, followed by its entries. The same bytes for
 * the same memories, never longer than `maxChars`. `full` and `index` show the contents or descriptions of each mount
 * that fit, if all fit together.
 * @returns null where all memories are empty, or where not even a count of their entries fits.
 */
export function renderMounts(mounts: readonly MountOutline[], options: RenderMountsOptions): string | null {
  const { content, maxChars } = options;
  const sections = mounts.map(sectionOf);
  const total = sections.reduce((sum, { entries }) => sum + entries.length, 0);
  if (total === 0) return null;
  const scope = mounts.find(({ mount }) => mount.point === ROOT)?.mount.memory.address.scope ?? "global";
  const fitting = (view: MemoryContent, lines: readonly string[]): string | null =>
    fenceWithin(maxChars, scope, view, lines);
  const rich = content === "tree" ? null : richLines(sections, { ...options, content });
  const richView = { ...options, view: content };
  const treeView: IntroducedMounts = { ...options, view: content === "tree" ? "tree" : `tree instead of ${content}` };
  const short = shortMountsIntroduction(treeView);
  const count = `(${counted(total, sections.find(({ moreThan }) => moreThan !== undefined)?.moreThan)} left out)`;
  return (
    (rich &&
      (fitting(content, [...mountsIntroduction(richView), ...rich]) ??
        fitting(content, [...shortMountsIntroduction(richView), ...rich]))) ??
    fitting("tree", [...mountsIntroduction(treeView), ...sections.flatMap((section) => treeLines(section))]) ??
    fitting("tree", [
      ...short,
      ...leaveOut(sections, fence(scope, "tree", short).length, maxChars).flatMap((section) => treeLines(section)),
    ]) ??
    fitting("tree", [...short, count]) ??
    fitting("tree", [count])
  );
}

/** Without what exceeds the share of the mount. */
function sectionOf({ mount, outline }: MountOutline): Section {
  const entries = sortedEntries(outline);
  const section = { mount, entries, moreThan: outline.moreThan, shown: new Set(entries), limit: Infinity };
  const { maxChars } = mount;
  return maxChars === undefined
    ? section
    : (leaveOut([section], -withNewline(headerOf(section)), maxChars)[0] ?? section);
}

/** With contents or descriptions. Null where none fit. */
function richLines(
  sections: readonly Section[],
  { content, maxChars, descriptions }: RenderMountsOptions & { content: "full" | "index" },
): string[] | null {
  const rich = sections.map(({ mount, entries }) => {
    const share = Math.min(maxChars, mount.maxChars ?? maxChars);
    const lines = content === "full" ? contentLines(entries, share) : indexLines(entries, descriptions);
    return { share, lines: lines !== null && charsOf(lines) <= share ? lines : null };
  });
  if (rich.every(({ lines }) => lines === null)) return null;
  return sections.flatMap((section, index) => {
    const { lines = null, share = maxChars } = rich[index] ?? {};
    return lines
      ? [headerOf(section), ...lines]
      : treeLines(section, `${leftOut[`tree instead of ${content}`].toLowerCase()} left out: over ${share} characters`);
  });
}

function treeLines(section: Section, ...facts: string[]): string[] {
  const { entries, shown } = section;
  return [
    headerOf(section, ...facts),
    ...entries.filter((entry) => shown.has(entry)).map(({ line }) => line),
    ...noteOf(section),
  ];
}

function headerOf({ mount, entries }: Section, ...others: string[]): string {
  const { point, description, access, memory, missingOwner } = mount;
  const rights = {
    write: [],
    append: ["append-only"],
    read: ["read-only"],
    ask: ["changed only if a person approves"],
  }[access ?? "write"];
  const there = [scopeWords(memory.address.scope), ...rights, ...(entries.length === 0 ? ["empty"] : []), ...others];
  const facts = missingOwner === undefined ? there : [`not available: ${missingOwner.message}`];
  const words = description === undefined ? "" : ` - ${printablePath(description.replaceAll(/\s+/g, " ").trim())}`;
  return `${printablePath(prefixOf(point))}${words} (${facts.join(", ")})`;
}

function noteOf({ entries, moreThan, shown, limit }: Section): string[] {
  const omitted = entries.length - shown.size;
  if (omitted === 0) return [];
  return [
    shown.size === 0
      ? `(${counted(omitted, moreThan)} left out)`
      : omission(omitted, { entries: entries.length, moreThan }, limit),
  ];
}

/**
 * Leaves out the deepest entries of the sections, within one depth the last, until the rest fits.
 * @param otherChars what else counts for the limit
 */
function leaveOut(sections: readonly Section[], otherChars: number, maxChars: number): Section[] {
  const cut = sections.map((section) => ({ ...section, shown: new Set(section.shown) }));
  const depthBelow = (point: string, { depth }: Entry): number => depth - segmentsOf(point).length;
  const deepestFirst = cut
    .flatMap((section) =>
      Array.from(section.shown, (entry) => ({ section, entry, depth: depthBelow(section.mount.point, entry) })),
    )
    .toSorted((a, b) => a.depth - b.depth || compareCodeUnits(a.entry.key, b.entry.key))
    .toReversed();
  let chars = cut.reduce((sum, section) => sum + charsOf(treeLines(section)), otherChars);
  for (const { section, entry } of deepestFirst) {
    if (chars <= maxChars) break;
    chars -= charsOf([entry.line, ...noteOf(section)]);
    section.shown.delete(entry);
    section.limit = maxChars;
    chars += charsOf(noteOf(section));
  }
  return cut;
}

function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + withNewline(line), 0);
}
