import type { ApprovalRequest, ApprovalRequester } from "../access/approval-requester.js";
import { authorizeChange } from "../access/authorize.js";
import { guardText, type Guards } from "../access/guard-change.js";
import type { Policies } from "../access/policies.js";
import { loadTree, type MemoryBackend } from "../contract/backend.js";
import type {
  ApprovedTexts,
  ChangeRecord,
  ChangeRecords,
  InterruptRecords,
  PlannedChange,
} from "../contract/change-record.js";
import type { Call } from "../runtime/call.js";
import { lostRace, maxAttempts } from "../runtime/lost-race.js";
import { checkContent } from "../values/text.js";
import { applyChange } from "../tree/apply-change.js";
import { digestTree } from "../tree/digest.js";
import { type Change, type ChangeResult, noResult } from "../tree/change.js";
import { type MemoryActor, mergeActors } from "../values/actor.js";
import { errorOnPath } from "../values/error-paths.js";
import { MemoryError } from "../values/errors.js";
import { applyOnce, claimRecord, createToken, reload, resume } from "./apply-once.js";
import { createReviewRequest, parseDecision } from "./decision.js";
import { createRecordedChange, getEditedText, planChange } from "./plan-change.js";
import { ProcessRecords } from "./process-records.js";
import { shownChange } from "./shown-diff.js";

/** A memory whose policies need the approval of a person for a change. */
export interface ReviewedMemory extends Guards {
  readonly backend: MemoryBackend;
  readonly policies: Policies;
}

interface PendingChange {
  change: Change;
  requester: ApprovalRequester | null;
  /** Null outside of a run. */
  request: ApprovalRequest | null;
  /** The author of the change: the run, and the program that set an actor. */
  actor: MemoryActor | null;
}

/**
 * Requests the approval of a person for a change, and makes the change as it was shown.
 * @returns the answer of the command; `noResult` if there was nothing to change. If a person or a guard changed the text
 * of an edit, the result contains the text.
 * @throws MemoryError EACCES if the change is rejected or proposed, or if nobody can approve it; and, until there is an
 * answer, the error that ends the run
 */
export async function requestApproval(
  memory: ReviewedMemory,
  change: Change,
  call: Call,
): Promise<ChangeResult & { content?: string }> {
  const { address, backend, policies } = memory;
  const { requester } = policies;
  call.stage = "change";
  const request = requester?.createRequest({ command: change.type, path: change.path, address }) ?? null;
  const records = backend.features?.approvals?.(call) ?? null;
  const pending = { change, requester, request, actor: mergeActors(call.actor, requester?.actor ?? null) };
  const made = await (requester?.onAsk === "propose"
    ? propose(memory, pending, records, call)
    : interrupt(memory, pending, records ?? new ProcessRecords(backend, call), call));
  const { replaced = 0, files = 0, dirs = 0 } = made?.counts ?? {};
  const result = { ...noResult, replaced, deleted: { files, dirs } };
  if (change.type !== "edit") return result;
  const before = made === null ? await backend.read(change.path, call) : (made.before ?? "");
  const stored = made === null ? before : (made.edited?.after ?? made.after ?? "");
  // The function may report something about the text to its caller, so it runs on the text that was shown.
  return change.edit(before) === stored ? result : { ...result, content: stored };
}

/** @returns null if there is nothing to change. @throws EACCES with the id of the proposal */
async function propose(
  memory: ReviewedMemory,
  { change, requester, request, actor }: PendingChange,
  records: ChangeRecords | null,
  call: Call,
): Promise<null> {
  if (records === null || requester === null)
    throw cannotApprove(
      change.path,
      'proposals are kept in a MongoMemoryStore only: use one, or set onAsk: "interrupt"',
    );
  const id = request?.id ?? createToken();
  const stored = request === null ? null : await records.find(id);
  const origin = request?.origin;
  const identity = { id, kind: "proposal", actor, ...(origin && { origin }) } as const;
  let isStored = stored?.kind === "proposal";
  for (let attempt = 0; !isStored; attempt += 1) {
    if (attempt === maxAttempts) throw lostRace();
    const planned = await planGuarded(memory, change, (path) => path, call);
    if (planned === null) return null;
    const record = createRecord(planned, identity, records);
    isStored = request?.isCheck === true || (await putCurrent(memory, record, records, call));
  }
  const error = new MemoryError(
    "EACCES",
    `EACCES: the change is not made yet: it is proposed, and a person decides about it (proposal ${id})`,
  );
  error.proposal = id;
  throw error;
}

/** @returns the approved record, or null if there is nothing to change */
async function interrupt(
  memory: ReviewedMemory,
  { change, requester, request, actor }: PendingChange,
  records: InterruptRecords,
  call: Call,
): Promise<ChangeRecord | null> {
  const showPath = (path: string): string => memory.policies.getTreePath(path);
  if (requester === null || request === null || !request.canWait)
    throw cannotApprove(
      change.path,
      'this call is part of no run with a checkpointer: give the graph one, or set onAsk: "propose"; programs use ' +
        "the memory of the store itself",
    );
  const { id } = request;
  const stored = await records.find(id);
  const runId = request.continueRun?.(stored?.actor?.runId);
  let shown = stored?.kind === "interrupt" ? await resume(records, stored) : null;
  if (shown?.status === "approved") return shown;
  if (shown?.status === "rejected")
    throw errorOnPath("EACCES", change.path, "was not changed: the new text was redacted while the change waited");
  let askedAt = shown?.askedAt ?? null;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const planned = await planGuarded(memory, change, showPath, call);
    if (planned === null) return null;
    const unchanged = shown?.base === planned.base ? shown : null;
    const current = unchanged ?? createRecord(planned, { id, kind: "interrupt", actor }, records);
    const review = createReviewRequest(current, request.toolName, showPath);
    const remember = async (at: number): Promise<void> =>
      void (await putCurrent(memory, { ...current, askedAt: at }, records, call));
    const decision = parseDecision(await request.answer(review, askedAt, remember), review, change.path);
    if (unchanged !== null) {
      const edited = decision.type === "edit" ? await editContent(memory, current, decision.content, call) : null;
      if (edited !== null && edited.after === current.before) return null;
      const author = { ...current.actor, ...(runId !== undefined && { runId }) };
      const claimed = await claimRecord(records, id, { edited, decidedBy: null, actor: current.actor && author });
      const applied = await (claimed === null
        ? resume(records, await reload(records, current))
        : applyOnce(records, claimed));
      if (applied.status === "approved") return applied;
    }
    // The answer was about another text. The next request shows the present text.
    shown = null;
    askedAt = null;
  }
  throw lostRace();
}

/**
 * Stores a record, and removes it if the memory has changed since the change was planned. Reason: a redaction may have
 * covered the text before the change, and it does not see a record that is stored later.
 * @returns whether the record stays
 */
async function putCurrent(
  { backend }: ReviewedMemory,
  record: ChangeRecord,
  records: InterruptRecords,
  call: Call,
): Promise<boolean> {
  await records.put(record);
  const change = createRecordedChange(record);
  if (digestTree(await loadTree(backend, change, call), change) === record.base) return true;
  await records.withdraw(record.id);
  return false;
}

/** Plans the change with the content that the guards allow. Guards do not run for a change that is refused anyway. */
async function planGuarded(
  memory: ReviewedMemory,
  change: Change,
  showPath: (path: string) => string,
  call: Call,
): Promise<PlannedChange | null> {
  const { backend, policies } = memory;
  const { maxFileBytes } = memory.options;
  const tree = await loadTree(backend, change, call);
  if (change.type === "delete" || change.type === "rename") {
    const checkPath = (path: string): void => void policies.decide(path, "write");
    return planChange(tree, change, { maxFileBytes, showPath, checkPath }, call);
  }
  const { edits } = applyChange(tree, change, { now: new Date(), maxFileBytes: Infinity });
  const text = change.type === "edit" ? (edits.files[0]?.content ?? "") : change.content;
  const content = await guardText(memory, { command: change.type, path: change.path, content: text }, call);
  const guarded = change.type === "edit" ? { ...change, edit: () => content } : { ...change, content };
  return planChange(tree, guarded, { maxFileBytes, showPath }, call);
}

/**
 * Applies the policies of the memory in which a person approves a proposal: its rules, and its guards to the content,
 * edited or not. Reason: another program may have made the proposal, without them.
 * @throws MemoryError EACCES, and the errors of guards
 */
export async function allowApproval(
  memory: Guards & Pick<ReviewedMemory, "backend">,
  record: ChangeRecord,
  edited: string | undefined,
  call: Call,
): Promise<ApprovedTexts> {
  const { policies, backend } = memory;
  if (policies !== null) await authorizeChange(policies, createRecordedChange(record), backend, call, true);
  if (edited !== undefined) return { edited: await editContent(memory, record, edited, call) };
  if (record.content === null || policies?.hasGuard !== true) return { edited: null };
  const guarded = await editContent(memory, record, record.content, call);
  return { edited: null, ...(guarded.content !== record.content && guarded) };
}

/** Runs the guards on the content that a person wrote. Returns the allowed content and the new text of the file. */
async function editContent(
  guards: Guards,
  record: ChangeRecord,
  newContent: string,
  call: Call,
): Promise<NonNullable<ChangeRecord["edited"]>> {
  const { command, path } = record;
  const { maxFileBytes } = guards.options;
  checkContent(newContent, "content", maxFileBytes);
  if (command === "delete" || command === "rename")
    return { content: newContent, after: newContent, diff: record.diff };
  const content = await guardText(guards, { command, path, content: newContent }, call);
  const after = getEditedText(record, content, maxFileBytes);
  return { content, after, diff: await shownChange(path, { before: record.before, after }, call) };
}

function createRecord(
  planned: PlannedChange,
  identity: Pick<ChangeRecord, "id" | "kind" | "actor" | "origin">,
  records: InterruptRecords,
): ChangeRecord {
  const undecided = {
    status: "pending",
    token: null,
    claim: null,
    askedAt: null,
    edited: null,
    decidedBy: null,
    decidedAt: null,
    reason: null,
  } as const;
  return { ...planned, ...identity, ...undecided, at: records.now() };
}

function cannotApprove(path: string, advice: string): MemoryError {
  const reason = `is changed only if a person approves (access "ask"), and nobody can be asked here: ${advice}`;
  return errorOnPath("EACCES", path, reason);
}
