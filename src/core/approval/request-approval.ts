import { guardText, type Guards } from "../access/guard-change.js";
import type { Policies } from "../access/policies.js";
import type { MemoryBackend } from "../contract/backend.js";
import type { Call } from "../runtime/call.js";
import { lostRace, maxAttempts } from "../runtime/lost-race.js";
import { checkContent } from "../settings/check-content.js";
import { applyChange } from "../tree/apply-change.js";
import { type Change, type ChangeResult, noResult } from "../tree/change.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { MemoryError } from "../values/errors.js";
import type { Asking, Question } from "../access/asking.js";
import { carryOut, finish, newToken } from "./carry-out.js";
import type { ChangeRecord, ChangeRecords, PlannedChange } from "../contract/change-record.js";
import { decisionIn, requestOf } from "./decision.js";
import { getEditedText, planChange } from "./plan-change.js";
import { ProcessRecords } from "./process-records.js";

/** A memory whose policies ask a person about a change. */
export interface ReviewedMemory extends Guards {
  readonly backend: MemoryBackend;
  readonly policies: Policies;
}

/**
 * Makes a change that a person approves, as it was shown.
 * @returns what the command answers; `noResult` if there was nothing to change
 * @throws MemoryError EACCES if it is rejected, proposed, or nobody can be asked, and what ends a run until there is an
 * answer
 */
export async function requestApproval(memory: ReviewedMemory, change: Change, call: Call): Promise<ChangeResult> {
  const { address, backend, policies } = memory;
  const { asking } = policies;
  const { type: command, path } = change;
  call.stage = "change";
  const question = asking?.question({ command, path, address }) ?? null;
  const records = backend.features?.approvals?.(call) ?? null;
  const counts = await (asking?.onAsk === "propose"
    ? propose(memory, change, { records, asking, question }, call)
    : interrupt(memory, change, { records, asking, question }, call));
  const { replaced = 0, files = 0, dirs = 0 } = counts ?? {};
  return { ...noResult, replaced, deleted: { files, dirs } };
}

interface Request {
  /** Null: the storage keeps none. */
  records: ChangeRecords | null;
  asking: Asking | null;
  question: Question | null;
}

async function propose(
  memory: ReviewedMemory,
  change: Change,
  { records, asking, question }: Request,
  call: Call,
): Promise<PlannedChange["counts"] | null> {
  if (records === null || asking === null)
    throw cannotAsk(
      memory.policies.getShownPath(change.path),
      'proposals are kept in a MongoMemoryStore only: use one, or set onAsk: "interrupt"',
    );
  const id = question?.id ?? newToken();
  const stored = question === null ? null : await records.find(id);
  if (stored?.kind !== "proposal") {
    const planned = await planGuarded(memory, change, (path) => path, call);
    if (planned === null) return null;
    await records.put(createRecord(planned, { id, kind: "proposal" }, asking, records));
  }
  const error = new MemoryError(
    "EACCES",
    `EACCES: the change is not made yet: it is proposed, and a person decides about it (proposal ${id})`,
  );
  error.proposal = id;
  throw error;
}

async function interrupt(
  memory: ReviewedMemory,
  change: Change,
  { records: ownRecords, asking, question }: Request,
  call: Call,
): Promise<PlannedChange["counts"] | null> {
  const showPath = (path: string): string => memory.policies.getShownPath(path);
  if (asking === null || question === null || !question.canWait)
    throw cannotAsk(
      showPath(change.path),
      'this call is part of no run with a checkpointer: give the graph one, or set onAsk: "propose"; programs use the memory of the store itself',
    );
  const records = ownRecords ?? new ProcessRecords(memory.backend, call);
  const { id, toolName } = question;
  const stored = await records.find(id);
  let asked = stored?.kind === "interrupt" ? await finish(records, stored) : null;
  if (asked?.status === "approved") {
    // The caller of an edit may learn something from the text.
    if (change.type === "edit") change.edit(asked.before ?? "");
    return asked.counts;
  }
  let askedAt = asked?.askedAt ?? null;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const planned = await planGuarded(memory, change, showPath, call);
    if (planned === null) return null;
    const baseUnchanged = asked !== null && asked.base === planned.base;
    const current =
      asked !== null && baseUnchanged ? asked : createRecord(planned, { id, kind: "interrupt" }, asking, records);
    const request = requestOf(current, toolName, showPath);
    const remember = async (at: number): Promise<void> => {
      await records.put({ ...current, askedAt: at });
    };
    const decision = decisionIn(await question.answer(request, askedAt, remember), request);
    if (baseUnchanged) {
      const edited = decision.type === "edit" ? await editContent(memory, current, decision.content, call) : null;
      if (edited !== null && edited.after === current.before) return null;
      const made = await approve(records, current, edited);
      if (made.status === "approved") return made.counts;
    }
    // The answer was about another text: the next question shows the present one.
    asked = null;
    askedAt = null;
  }
  throw lostRace();
}

async function approve(
  records: ChangeRecords,
  current: ChangeRecord,
  edited: ChangeRecord["edited"],
): Promise<ChangeRecord> {
  const { id } = current;
  const claimed = await records.swap(
    id,
    { status: "pending" },
    { edited, status: "applying", token: newToken(), claim: newToken(), decidedAt: records.now() },
  );
  return claimed === null ? finish(records, (await records.find(id)) ?? current) : carryOut(records, claimed);
}

/** Plans the change with the content that the guards allow. They are not asked about a change that is refused anyway. */
async function planGuarded(
  memory: ReviewedMemory,
  change: Change,
  showPath: (path: string) => string,
  call: Call,
): Promise<PlannedChange | null> {
  const { backend, policies } = memory;
  const { maxFileBytes } = memory.options;
  const tree = new MemoryTree(await backend.snapshot(call));
  const checkPath = (path: string): void => {
    policies.decide(path, "write");
  };
  if (change.type === "delete" || change.type === "rename")
    return planChange(tree, change, { maxFileBytes, showPath, checkPath });
  const { edits } = applyChange(tree, change, { now: new Date(), maxFileBytes: Infinity });
  const edited = change.type === "edit" ? (edits.files[0]?.content ?? "") : change.content;
  const content = await guardText(memory, { command: change.type, path: change.path, content: edited }, call);
  const guarded = change.type === "edit" ? { ...change, edit: () => content } : { ...change, content };
  return planChange(tree, guarded, { maxFileBytes, showPath });
}

/** Returns the content that a person has written, as the guards allow it, and the text of the file with it. */
export async function editContent(
  guards: Guards,
  record: ChangeRecord,
  given: string,
  call: Call,
): Promise<{ content: string; after: string }> {
  const { command, path } = record;
  const { maxFileBytes } = guards.options;
  checkContent(given, "content", maxFileBytes);
  if (command === "delete" || command === "rename") return { content: given, after: given };
  const content = await guardText(guards, { command, path, content: given }, call);
  return { content, after: getEditedText(record, content, maxFileBytes) };
}

function createRecord(
  planned: PlannedChange,
  identity: Pick<ChangeRecord, "id" | "kind">,
  { actor }: Asking,
  records: ChangeRecords,
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
  return { ...planned, ...identity, ...undecided, actor, at: records.now() };
}

function cannotAsk(path: string, advice: string): MemoryError {
  return new MemoryError(
    "EACCES",
    `EACCES: ${path} is changed only if a person approves (access "ask"), and nobody can be asked here: ${advice}`,
  );
}
