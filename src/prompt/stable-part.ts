import { filterInSteps, mapInSteps, toSetInSteps } from "../core/runtime/lists-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import type { MemoryScope } from "../core/values/address.js";
import { getParent, getPathPrefix, ROOT } from "../core/values/paths.js";
import type { MemoryContent } from "./connector-options.js";
import { createName, type NamedEntry, isEmpty, listEntries, listMounts, type ShownMemories } from "./entries.js";
import { fence, formatPath } from "./fence.js";
import { introduce, type Introduced } from "./introduction.js";
import { findPinned, listContents, listDescriptions, listPassages, type PinnedTexts, type Text } from "./lines.js";
import { type PromptLine, PromptPart } from "./part.js";

/** The part of the budget that names may have while other lines need the room. */
const namesShare = 0.1;

/** The part of the budget that files may have which pin themselves and which the agent may write. */
const ownPinnedShare = 0.25;

export interface PlanOptions extends Pick<Introduced, "insteadOf" | "isOwnerMissing"> {
  /** The model's name for the root: `/`, another absolute path, or "" for relative paths. */
  root: string;
  /** The directory of the conversation log. Null without one. */
  logPath: string | null;
}

/** The lines of the part that changes only with the memory. */
export interface StablePlan {
  scope: MemoryScope;
  content: MemoryContent;
  root: string;
  introduction: readonly string[];
  pinned: PinnedTexts;
  mounts: readonly PromptLine[];
  /** The files and directories that are not pinned. */
  names: readonly NamedEntry[];
  /** The part of the budget for `names` and `more`. */
  namesShare: number;
  more: {
    /** Lists the lines that are less important than all names. */
    list: () => Iterable<PromptLine | null>;
    /** How many of them count if they are left out. */
    total: number;
    noun: string;
  };
}

export interface RenderedStable {
  text: string;
  part: PromptPart;
  /** The number of names, descriptions and contents that are left out. */
  leftOut: number;
}

/**
 * Plans the names of all files, also with their descriptions or contents.
 * @param logPath a log that is one line, so that the text does not change with each turn. Null: its files are shown, too
 */
export function* planNames(
  memories: ShownMemories,
  options: PlanOptions,
  content: Exclude<MemoryContent, "auto">,
  logPath: string | null,
): Steps<StablePlan> {
  const all = yield* listEntries(memories.outlines, options.root, logPath);
  const names = content === "full" ? yield* leaveOutParents(all) : all;
  const more = yield* listMore(names, options, content);
  return {
    ...planFrame(memories, options, content),
    pinned: { byProgram: [], byThemselves: [] },
    names,
    namesShare: 1,
    more,
  };
}

/** Leaves out the directories that the paths of other entries contain. */
function* leaveOutParents(entries: readonly NamedEntry[]): Steps<NamedEntry[]> {
  const parents = yield* mapInSteps(entries, ({ path }) => getPathPrefix(getParent(path.slice(0, -1))));
  const all = yield* toSetInSteps(parents);
  return yield* filterInSteps(entries, ({ path }) => !all.has(path));
}

function* listMore(
  names: readonly NamedEntry[],
  { logPath }: PlanOptions,
  content: Exclude<MemoryContent, "auto">,
): Steps<StablePlan["more"]> {
  if (content === "tree") return { list: () => [], total: 0, noun: "" };
  const lines = content === "index" ? listDescriptions(names) : listContents(names, logPath);
  const all = yield* filterInSteps(lines, (line) => line !== null);
  if (content === "index") return { list: () => all, total: all.length, noun: "description" };
  const unread = yield* filterInSteps(names, ({ file }) => file?.content === undefined && (file?.sizeBytes ?? 0) > 0);
  return { list: () => all, total: all.length + unread.length, noun: "content" };
}

/** Plans pinned files, and the names of the other files with their descriptions. */
export function* planPinned(
  memories: ShownMemories,
  texts: readonly Text[],
  options: PlanOptions & { pinned: readonly string[] },
): Steps<StablePlan> {
  const pinned = yield* findPinned(texts, options.pinned);
  const paths = new Set([...pinned.byProgram, ...pinned.byThemselves].map(({ path }) => path));
  const all = yield* listEntries(memories.outlines, options.root, options.logPath);
  const names = yield* filterInSteps(all, ({ path }) => !paths.has(path));
  const hasOthers = texts.some(({ path, passages }) => passages.length > 1 && !paths.has(path));
  return {
    ...planFrame(memories, options, "auto"),
    pinned,
    names,
    namesShare: hasOthers ? namesShare : 1,
    more: { list: () => listDescriptions(names), total: 0, noun: "" },
  };
}

function planFrame(memories: ShownMemories, { root, ...options }: PlanOptions, content: MemoryContent) {
  const { isTree, outlines } = memories;
  const scope = getShownScope(memories);
  const isAllEmpty = outlines.every(({ outline }) => isEmpty(outline));
  const introduction = introduce({ ...options, content, scope, isTree, isEmpty: isAllEmpty });
  return { scope, content, root, introduction, mounts: listMounts(memories, root) };
}

/** Returns the scope of the memory at "/". */
export function getShownScope({ outlines }: ShownMemories): MemoryScope {
  return outlines.find(({ mount }) => mount.point === ROOT)?.mount.memory.address.scope ?? "global";
}

/**
 * Renders the part that changes only with the memory: pinned files, names, and what else the plan has, as far as they
 * fit. Null if the introduction and the number of all lines do not fit.
 * @param turnChars the characters of the turn beside it, which do not make the shares smaller
 */
export function* renderStable(plan: StablePlan, maxChars: number, turnChars = 0): Steps<RenderedStable | null> {
  const { scope, content, root, introduction, mounts, names, more } = plan;
  const pinned = [...plan.pinned.byProgram, ...plan.pinned.byThemselves];
  const most = mounts.length + pinned.length + names.length;
  const mostCounts = formatCounts(most, most, more.total, more.noun);
  const frame = fence(scope, content, [...introduction, ...mostCounts]);
  if (frame.length > maxChars) return null;
  const budget = maxChars + turnChars;
  const room = maxChars - frame.length;
  const ownChars = Math.floor(budget * ownPinnedShare);
  const isCut = ({ path, passages }: Text): boolean => part.count(path) < passages.length - 1;
  let part = yield* fillPinned(plan, room, 0, ownChars);
  if (pinned.some(isCut)) part = yield* fillPinned(plan, room, Math.floor(budget * namesShare), ownChars);
  const cut = pinned
    .filter(isCut)
    .map(({ path }) => createName(path, `${formatPath(path, root)} (pinned, not shown whole)`));
  const share = Math.floor(budget * (cut.length > 0 ? namesShare : plan.namesShare));
  const namesChars = share - mostCounts.join("\n").length;
  const total = mounts.length + cut.length + names.length;
  const shownMounts = yield* part.take(mounts, part.room, 1);
  const roomAfter = part.room - namesChars;
  const shownNames = yield* part.take([...cut, ...names], namesChars, 1);
  const shownMore = yield* part.take(more.list(), part.room - roomAfter, 1);
  const namesLeft = total - shownMounts - shownNames;
  const moreLeft = more.total === 0 ? 0 : more.total - shownMore;
  const counts = formatCounts(namesLeft, total, moreLeft, more.noun);
  const text = fence(scope, content, [...introduction, ...(yield* part.render()), ...counts]);
  return { text, part, leftOut: namesLeft + moreLeft };
}

/** Shows pinned files from their start, as far as they fit beside `reservedChars`. */
function* fillPinned(
  { root, pinned }: StablePlan,
  maxChars: number,
  reservedChars: number,
  ownChars: number,
): Steps<PromptPart> {
  const part = new PromptPart(maxChars, root);
  yield* part.take(listPassages(pinned.byProgram), part.room - reservedChars);
  // All that a model may have written is below what the program pins.
  yield* part.take(listPassages(pinned.byThemselves), Math.min(ownChars, part.room - reservedChars), 1);
  return part;
}

function formatCounts(namesLeft: number, names: number, moreLeft: number, noun: string): string[] {
  return [
    ...(namesLeft === 0 ? [] : [`(${namesLeft} of ${names} ${names === 1 ? "entry" : "entries"} left out)`]),
    ...(moreLeft === 0 ? [] : [`(${moreLeft} ${noun}${moreLeft === 1 ? "" : "s"} left out)`]),
  ];
}
