import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { JointTask } from "../../../core/runtime/turn-queue.js";
import { runInTimeSlices } from "../../../core/runtime/time-slices.js";
import { applyChange } from "../../../core/tree/apply-change.js";
import type { ChangeResult } from "../../../core/tree/change.js";
import { hasNoEdits, MemoryTree, noEdits, type TreeEdits } from "../../../core/tree/memory-tree.js";
import type { SnapshotFile } from "../../../core/tree/snapshot.js";
import type { RecordedParts } from "../outbox/outbox.js";
import type { JointChange, PagedMemory } from "../memory-context.js";
import { covers } from "../reading/known-pages.js";
import { isHead, type LoadedPage, type LoadedPages } from "../reading/load.js";
import { type ChangeParts, noChange } from "./change-pipeline.js";
import { changedSince, createUnrecordedParts, recordParts } from "./edit-parts.js";
import { loadForChange } from "./loaded-change.js";
import { type IdentifiedChange, toOutcome, toResult, withCalls } from "./made-calls.js";
import { targetLoadedPage } from "./page-target.js";
import { commitChanges } from "./page-writes.js";
import { isTooLarge } from "./repartition.js";

/** A change that waits with others. */
export type JointChangeTask = JointTask<JointChange, ChangeResult>;

/** The changes of texts, made one after the other on a tree. */
interface PlannedChanges {
  edits: TreeEdits;
  recorded: RecordedParts[];
  /** The identities of the changes that were made, by path. */
  identified: Map<string, IdentifiedChange[]>;
  /** Gives each caller its answer. */
  answer: () => void;
}

/**
 * Makes changes of texts that the head records, in one transaction: the pages of their paths, and the head. Leaves all
 * changes as they are if a page would have to be split, or if the memory has no other page.
 */
export async function transactTogether(
  memory: PagedMemory,
  tasks: readonly JointChangeTask[],
  call: CallContext,
): Promise<void> {
  const paths = [...new Set(tasks.map(({ item }) => item.change.path))];
  const changeIds = tasks.flatMap((task) => task.call.changeId ?? []);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    call.throwIfAborted();
    const loaded = await loadForChange(memory, { paths, below: [], needsTexts: true, changeIds }, false, call);
    const { head } = loaded;
    if (!loaded.isPaged || head === undefined) return;
    const at = memory.clock();
    const plan = await planChanges(tasks, loaded, changeIds, at, call);
    if (hasNoEdits(plan.edits)) return plan.answer();
    const writes = loaded.pages.map((page) => ({ page, parts: planPage(loaded, page, plan, at) }));
    if (writes.some(({ page, parts }) => parts !== null && isFull(memory, page, Number(parts.growth)))) return;
    const own = writes.find(({ page }) => isHead(page))?.parts ?? {
      ...noChange,
      unless: changedSince(head.revision ?? 0),
    };
    const others = writes.flatMap(({ page, parts }) =>
      parts === null || isHead(page)
        ? []
        : [{ target: targetLoadedPage(memory, page, true), parts: { ...parts, growth: 0 } }],
    );
    const parts = { ...own, recorded: plan.recorded, growth: 0 };
    const target = targetLoadedPage(memory, head, true);
    if (await commitChanges(memory, others, { target, parts }, { at, createdAt: at }, call)) return plan.answer();
    await pause(attempt);
  }
  throw lostRace();
}

function isFull({ pageBytes }: PagedMemory, page: LoadedPage, growth: number): boolean {
  return growth > 0 && isTooLarge(page, (page.measuredBytes ?? 0) + growth, pageBytes);
}

async function planChanges(
  tasks: readonly JointChangeTask[],
  { tree: before, pages }: LoadedPages,
  changeIds: readonly string[],
  at: Date,
  call: CallContext,
): Promise<PlannedChanges> {
  const tree = new MemoryTree(before.snapshot());
  const made = new Map(
    pages.flatMap((page) => changeIds.flatMap((id, index) => (page.made?.[index] ? [[id, page.made[index]]] : []))),
  );
  const files = new Map<string, SnapshotFile>();
  const directories = new Set<string>();
  const recorded: RecordedParts[] = [];
  const identified = new Map<string, IdentifiedChange[]>();
  const answers: (() => void)[] = [];
  for (const { item, call: by, resolve, reject } of tasks) {
    const { change, maxFileBytes } = item;
    const first = by.changeId === null ? undefined : made.get(by.changeId);
    if (first !== undefined) {
      answers.push(() => resolve(toResult(first)));
      continue;
    }
    try {
      const { edits, result } = applyChange(tree, change, { now: at, maxFileBytes });
      const parts = await runInTimeSlices(recordParts(tree, edits), call);
      tree.commit(edits);
      recorded.push(...parts.map((part) => ({ ...part, by })));
      for (const file of edits.files) files.set(file.path, file);
      for (const directory of edits.directories) directories.add(directory);
      if (by.changeId !== null && !hasNoEdits(edits))
        identified.set(change.path, [
          ...(identified.get(change.path) ?? []),
          { id: by.changeId, outcome: toOutcome(result) },
        ]);
      answers.push(() => resolve(result));
    } catch (error) {
      answers.push(() => reject(error));
    }
  }
  const edits = { ...noEdits, files: [...files.values()], directories: [...directories] };
  return { edits, recorded, identified, answer: () => answers.forEach((answer) => answer()) };
}

/** Returns the part of the edits that one page has. Null if it has none. */
function planPage(
  { tree }: LoadedPages,
  page: LoadedPage,
  { edits, identified }: PlannedChanges,
  at: Date,
): ChangeParts | null {
  const isOnPage = (path: string): boolean => covers([page], { paths: [path], below: [] });
  const own = {
    ...noEdits,
    files: edits.files.filter(({ path }) => isOnPage(path)),
    directories: edits.directories.filter(isOnPage),
  };
  if (hasNoEdits(own)) return null;
  const calls = [...identified].flatMap(([path, changes]) => (isOnPage(path) ? changes : []));
  return {
    ...createUnrecordedParts({ tree, revision: page.revision ?? 0 }, own),
    ...(calls.length > 0 && { calls: withCalls("$calls", calls, at) }),
  };
}
