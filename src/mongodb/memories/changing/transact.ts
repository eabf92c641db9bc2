import type { MemoryOptions } from "../../../core/memory-options.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { AppliedChange, ApplySettings } from "../../../core/tree/apply-change.js";
import { type Change, type ChangeResult, createsMissing, getScope, noResult } from "../../../core/tree/change.js";
import { hasNoEdits, type MemoryTree } from "../../../core/tree/memory-tree.js";
import { catchRefusal } from "../../../core/values/errors.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { getPlanScope, type PlannedWrite, planChanges } from "../files/planned-changes.js";
import { createAttempt } from "./attempts.js";
import { findKnownPages, selectPages } from "../reading/known-pages.js";
import { targetHeadAlone, targetKnownPage } from "./page-target.js";
import { getSplitBytes, hasTransactions, type PagedMemory, prepare } from "../memory-context.js";
import { readsPages } from "../reading/load-scope.js";
import { type MadeChange, writePage, type SentChange } from "./page-writes.js";
import { changePage } from "./change-page.js";
import { checkRoom } from "./memory-room.js";
import { getNextRevision, isOfSeveralPages, loadForChange, type StorageScope } from "./loaded-change.js";
import { replacePages } from "./replace-pages.js";
import type { CallOutcome } from "./made-calls.js";
import { removeExpired } from "../life/expire.js";
import type { MadeCall } from "../documents/page-document.js";
import { newMemoryBytes } from "../documents/page-sizes.js";

/** The facts about the memory that `transact` passes with the tree. */
export interface StorageMoment {
  /** The time of the change, which the history records. */
  at: Date;
  /** Whether the memory has recorded the `approvalId` of the scope: then the change was made already. */
  isApplied: boolean;
  /** A change with an identity of the scope that was made before. */
  made: MadeCall | undefined;
  /** The revisions of the loaded pages, by their ids. */
  revisions: ReadonlyMap<string, number>;
  /** The revision of the version that the change makes, if the scope is exact. */
  nextRevision: number;
}

type Apply<Result> = (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>;

export type Applied<Result> = Pick<AppliedChange, "edits"> & { result: Result; outcome?: CallOutcome };

/**
 * Makes a change with one command that decides on the server. It may refuse allowed changes. Null: nothing was
 * changed; `transact` makes the change or says why it is refused.
 */
export async function attemptChange(
  memory: PagedMemory,
  change: Change,
  settings: ApplySettings,
  call: CallContext,
): Promise<ChangeResult | null> {
  await prepare(memory);
  const attempt = planAttempt(memory, change, settings);
  if (attempt === null) return null;
  // Too large: the tree then reports how large, or the page is split.
  const made = await catchRefusal(writePage(memory, attempt.parts, attempt.options, call), "ENOSPC");
  return made && toChangeResult(change, made, settings.now);
}

/** Plans the command that attempts a change. Null: only a tree can make it. */
export function planAttempt(
  memory: PagedMemory,
  change: Change,
  settings: ApplySettings,
): Pick<SentChange, "parts" | "options"> | null {
  const known = findKnownPages(memory);
  const [page] = known === undefined ? [] : selectPages(known.pages, { paths: [change.path], below: [] });
  const parts = createAttempt(change, settings, page?.lo ?? "");
  if (parts === null) return null;
  const { now } = settings;
  const times = { at: now, createdAt: now, splitBytes: getSplitBytes(memory) };
  if (known === undefined || page === undefined) {
    const upsert = createsMissing(change);
    // An upsert cannot refuse the change of a missing document, so the size is checked before.
    if (upsert && newMemoryBytes(memory.address, [change]) > memory.limits.maxMemoryBytes) return null;
    return { parts, options: { ...times, target: targetHeadAlone(memory), upsert } };
  }
  if (memory.limits.isLimited === true) return null;
  if (change.type === "delete" && selectPages(known.pages, getScope(change)).length > 1) return null;
  return { parts, options: { ...times, target: targetKnownPage(page, change), upsert: false } };
}

/**
 * Loads the part of the memory that the scope names, as a tree of one point in time, and stores the edits with their
 * versions in one step. Starts again if another change came first. Without edits it stores nothing, not even the id
 * of an approval.
 * @param apply must not change the tree. It may wait for others, and may run several times
 * @param attemptAgain makes the change with one command, and is tried when another change came first. Reason: changes
 *   of one command would keep coming before a change that loads first
 * @throws what `apply` throws, ENOSPC, ECONFLICT; then nothing was changed
 */
export async function transactInTurn<Result>(
  memory: PagedMemory,
  scope: StorageScope,
  apply: Apply<Result>,
  call: CallContext,
  attemptAgain?: () => Promise<Result | null>,
): Promise<Result> {
  // The pages of many files are read whole in any case, and are mostly split.
  let replacesPages =
    isOfSeveralPages(memory, scope) ||
    (readsPages({ paths: scope.paths, below: scope.below }) && (await hasTransactions(memory)));
  let tryCommandFirst = false;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    call.throwIfAborted();
    const attempted = tryCommandFirst ? ((await attemptAgain?.()) ?? null) : null;
    if (attempted !== null) return attempted;
    const loaded = await loadForChange(memory, scope, replacesPages, call);
    const at = memory.clock();
    const made = loaded.pages.flatMap((page) => page.made ?? []).find((each) => each !== null);
    const revisions = new Map(loaded.pages.map(({ _id, revision = 0 }) => [_id, revision]));
    const nextRevision = getNextRevision(loaded);
    const moment = { at, isApplied: loaded.head?.isApplied === true, made, revisions, nextRevision };
    const { edits, result, outcome } = await apply(loaded.tree, moment);
    if (hasNoEdits(edits)) return result;
    // An expired memory would be in the way of the next one.
    if (loaded.pages.length === 0) await removeExpired(memory, call);
    const store = replacesPages ? replacePages : changePage;
    const stored = await store(memory, { scope, loaded, edits, outcome, at }, call);
    if (stored === "stored") return result;
    tryCommandFirst = stored === "conflict";
    if (tryCommandFirst) await pause(attempt);
    if (stored === "needsWholePages") replacesPages = true;
  }
  throw lostRace();
}

/** Makes a change as `transactInTurn` does, when the changes before it in this process have ended. */
export function transact<Result>(
  memory: PagedMemory,
  scope: StorageScope,
  apply: Apply<Result>,
  call: CallContext,
): Promise<Result> {
  return memory.changes.run(memory.key, () => transactInTurn(memory, scope, apply, call), call);
}

/**
 * Refuses changes that the memory in its present state would refuse, one after the other. Changes nothing.
 * @throws what `write` of the backend throws, and EINVAL for a directory that is not empty
 */
export async function checkChanges(
  memory: PagedMemory,
  changes: readonly PlannedWrite[],
  options: Required<MemoryOptions>,
  call: CallContext,
): Promise<void> {
  const scope = getPlanScope(changes);
  const loaded = await loadForChange(memory, scope, isOfSeveralPages(memory, scope), call);
  const at = memory.clock();
  const edits = planChanges(loaded.tree, changes, options, at);
  await checkRoom(memory, loaded, edits, call);
}

export function toChangeResult(
  change: Change,
  { counts: [first, second], createdAt }: MadeChange,
  now: Date,
): ChangeResult {
  switch (change.type) {
    case "write": {
      const sizeBytes = utf8Bytes(change.content);
      return { ...noResult, file: { kind: "file", sizeBytes, createdAt: createdAt ?? now, updatedAt: now } };
    }
    case "update":
      return { ...noResult, replaced: first };
    case "delete":
      return { ...noResult, deleted: { files: first, dirs: second } };
    case "append":
    case "edit":
    case "rename":
      return noResult;
  }
}
