import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type { MemoryBackend } from "../../core/contract/backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import { addFiles } from "../../core/tree/add-files.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { type Change, type ChangeOptions, type ChangeResult, getScope } from "../../core/tree/change.js";
import { getRestorationScope, restoreTree, type TreeRestoration } from "../../core/tree/restore-tree.js";
import type { FormerBound } from "../history/history-context.js";
import type { RecordedChange } from "../history/outbox.js";
import { recordEdits } from "../history/record-edits.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import { MongoHistory } from "../history/memory-history.js";
import { MemoryEmbeddings } from "../embeddings/memory-embeddings.js";
import { ApprovalRecords } from "./approval-records.js";
import { toCallOutcome, toRepeatedResult } from "./changing/made-calls.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { type MemoriesContext, type MemoryLimits, openContext, type PagedMemory } from "./memory-context.js";
import { renewBounds } from "./changing/renew-bounds.js";
import { attemptChange, transact, transactInTurn } from "./changing/transact.js";
import { OutboxSource } from "./outbox/outbox-source.js";
import {
  readDirectory,
  readOutline,
  readScope,
  readSnapshot,
  readSnapshotSince,
  readStat,
  readText,
  readVersion,
} from "./reading/page-reads.js";

/** Opens one memory in MongoDB. */
export function openMongoMemory(
  memories: MemoriesContext,
  address: CheckedAddress,
  limits: MemoryLimits,
): MemoryBackend {
  const memory = openContext(memories, address, limits);
  const { client, embedder, collection, history, vectors, expiry } = memory;
  return {
    read: (path, call) => readText(memory, path, call),
    list: (path, call) => readDirectory(memory, path, call),
    stat: (path, call) => readStat(memory, path, call),
    snapshot: (call) => readSnapshot(memory, call),
    outline: (options, call) => readOutline(memory, options, call),
    change: (change, options, call) => {
      call.isWaiting = true;
      return makeChange(memory, change, options, call);
    },
    features: {
      storage: collection,
      makesOnce: true,
      version: (call) => readVersion(memory, call),
      load: (scope, call) => readScope(memory, scope, call),
      snapshotSince: (known, call) => readSnapshotSince(memory, known, call),
      addFiles: (files, settings, call) => {
        call.isWaiting = true;
        const scope = { paths: files.map(({ path }) => path), below: [] };
        return transact(memory, scope, (tree) => addFiles(tree, files, settings), call);
      },
      approvals: (call) => new ApprovalRecords(memory, call),
      ...(embedder !== null && {
        embeddings: (call) => {
          const lifetimeMs = expiry.lifetimeMs(address.scope);
          return new MemoryEmbeddings({ client, embedder, address, vectors, lifetimeMs }, call);
        },
      }),
      ...(history !== null && { history: (call) => openHistory(memory, call) }),
    },
  };
}

/** Makes a change after those before it, and together with those that wait, too. */
function makeChange(
  memory: PagedMemory,
  change: Change,
  options: ChangeOptions,
  call: CallContext,
  maxFileBytes = memory.limits.maxFileBytes,
): Promise<ChangeResult> {
  const { changes, key } = memory;
  const alone = (): Promise<ChangeResult> => makeAlone(memory, change, options, call, maxFileBytes);
  return isJoint(change, options)
    ? changes.join(key, { memory, change, maxFileBytes }, weigh(change), alone, call)
    : changes.run(key, alone, call);
}

/** Whether one command may make a change. */
function isJoint(change: Change, { expectedDigest, checkPath }: ChangeOptions): boolean {
  if (change.type === "edit" || change.type === "rename" || expectedDigest !== undefined) return false;
  return change.type !== "delete" || checkPath === undefined;
}

/** Returns the number of characters that a change adds to a command. */
function weigh(change: Change): number {
  if (change.type === "update") return change.oldContent.length + change.content.length;
  return "content" in change ? change.content.length : 0;
}

/**
 * First, one command tries to make the change. If it does not, the tree of `transactInTurn` makes or refuses the change.
 */
async function makeAlone(
  memory: PagedMemory,
  change: Change,
  options: ChangeOptions,
  call: CallContext,
  maxFileBytes: number,
): Promise<ChangeResult> {
  const { clock } = memory;
  const attempt = async (): Promise<ChangeResult | null> => {
    if (options.expectedDigest !== undefined) return null;
    const settings = { now: clock(), maxFileBytes };
    // The paths below a directory must be checked on the tree. The delete of a file can still be one command.
    const isChecked = change.type === "delete" && options.checkPath !== undefined;
    return attemptChange(memory, isChecked ? { ...change, ifDirectory: "fail" } : change, settings, call);
  };
  const result = await attempt();
  if (result !== null) return result;
  const needsTexts = options.expectedDigest !== undefined || (change.type !== "rename" && memory.history !== null);
  const scope = {
    ...getScope(change),
    needsTexts,
    changeIds: call.changeId === null ? [] : [call.changeId],
  };
  return transactInTurn<ChangeResult>(
    memory,
    scope,
    (tree, { at, made }) => {
      if (made !== undefined) return { edits: noEdits, result: toRepeatedResult(made) };
      const applied = applyChange(tree, change, { now: at, maxFileBytes }, options);
      return { ...applied, outcome: toCallOutcome(applied.result) };
    },
    call,
    attempt,
  );
}

function openHistory(memory: PagedMemory, call: CallContext): HistoryBackend {
  const { clock, versions, vectors, address, limits } = memory;
  const context = {
    source: new OutboxSource(memory),
    versions,
    restore: (restoration: TreeRestoration, revisions: ReadonlyMap<string, number>) =>
      restoreMemory(memory, restoration, revisions, call),
    cover: async (path: string, redactors: readonly TextRedactor[]) => {
      const [only, ...others] = redactors;
      const change: Change =
        only !== undefined && others.length === 0
          ? { type: "update", path, oldContent: only.text, content: only.mask }
          : { type: "edit", path, edit: (text) => redactors.reduce((covered, each) => each.coverShort(covered), text) };
      // The file may be larger than the limit is now.
      await makeChange(memory, change, {}, call, Infinity);
    },
    renewBounds: (bounds: readonly FormerBound[]) => renewBounds(memory, bounds, call),
    proposals: new ApprovalRecords(memory, call),
    removeVectors: () => vectors.remove(address, call),
    clock,
    maxFileBytes: limits.maxFileBytes,
  };
  return new MongoHistory(context, call);
}

/**
 * Applies a planned revert in one step.
 * @returns the recorded change; null if the memory has changed since the revert was planned
 */
function restoreMemory(
  memory: PagedMemory,
  restoration: TreeRestoration,
  planned: ReadonlyMap<string, number>,
  call: CallContext,
): Promise<RecordedChange | null> {
  const { isReader } = memory;
  return transact<RecordedChange | null>(
    memory,
    // A redaction gives the head a new revision: what was read before it must not be restored.
    { ...getRestorationScope(restoration), needsTexts: false, isExact: true },
    (tree, { at, revisions, nextRevision }) => {
      const isSame = revisions.size > 0 && [...revisions].every(([id, revision]) => planned.get(id) === revision);
      if (!isSame) return { edits: noEdits, result: null };
      const edits = restoreTree(tree, restoration, at);
      const recorded = { files: [], directories: {}, ...recordEdits(tree, edits) };
      const result = { revision: nextRevision, page: "", at, actor: call.actor, ...recorded };
      return { edits: isReader ? noEdits : edits, result };
    },
    call,
  );
}
