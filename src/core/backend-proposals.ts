import { z } from "zod";
import { applyOnce, claimRecord, reload, resume } from "./approval/apply-once.js";
import { maxReasonChars } from "./approval/decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "./approval/memory-proposals.js";
import { createRecordedChange, planChange } from "./approval/plan-change.js";
import { listPages } from "./approval/redact-records.js";
import { allowApproval } from "./approval/request-approval.js";
import { loadTree } from "./contract/backend.js";
import {
  type ChangeRecord,
  type ChangeRecords,
  type ChangeStatus,
  changeStatuses,
  type LearningRecords,
} from "./contract/change-record.js";
import type { ProgressRecord } from "./contract/learn-progress.js";
import { type MemoryContext, runCall } from "./pipeline.js";
import type { Call } from "./runtime/call.js";
import { checkOptions } from "./settings/check-options.js";
import { actorField, maxActorChars } from "./values/actor.js";
import { invalid, isRefusal, MemoryError } from "./values/errors.js";
import { preview, shorten } from "./values/text.js";

const reviewerField = actorField.extend({ userId: z.string().min(1).max(maxActorChars) });
const approveSchema = z.strictObject({ by: reviewerField, content: z.string().optional() });
const rejectSchema = z.strictObject({ by: reviewerField, reason: z.string().max(maxReasonChars).optional() });
const listSchema = z.strictObject({ status: z.enum(changeStatuses).optional() });

export class BackendProposals implements MemoryProposals {
  readonly #context: MemoryContext;

  constructor(context: MemoryContext) {
    this.#context = context;
  }

  async *list(options: { status?: ChangeStatus } = {}): AsyncGenerator<MemoryProposal> {
    const { status } = checkOptions("options of list", listSchema, options);
    const statuses = status === undefined ? (["pending", "applying"] as const) : [status];
    const pages = listPages((after) => this.#run("read", (records) => records.page("proposal", statuses, after)));
    for await (const record of pages) yield toProposal(record);
  }

  get(id: string): Promise<MemoryProposal | null> {
    return this.#run("change", async (records) => {
      const record = await findProposal(records, id);
      return record === null ? null : toProposal(await resume(records, record));
    });
  }

  async approve(id: string, decision: { by: Reviewer; content?: string }): Promise<MemoryProposal> {
    checkOptions("decision", approveSchema, decision);
    const { by, content } = decision;
    return this.#run("change", async (records, call) => {
      const record = await findUndecided(records, id, by);
      if (record.status === "approved") return toProposal(record);
      if (content !== undefined && record.after === null) throw invalid(`a ${record.command} has no content`);
      const allowed = await allowApproval(this.#context, record, content, call);
      const claimed = await claimRecord(records, id, { ...allowed, decidedBy: by });
      if (claimed === null) throw await createDecidedError(records, record);
      const applied = await applyOnce(records, claimed);
      if (applied.status === "pending") throw await this.#createBaseChangedError(record, call);
      // Another process may have taken the record over and released it, and somebody may have decided since.
      if (applied.status !== "approved" || applied.claim !== claimed.claim)
        throw await createDecidedError(records, applied);
      return toProposal(applied);
    });
  }

  async reject(id: string, decision: { by: Reviewer; reason?: string }): Promise<MemoryProposal> {
    checkOptions("decision", rejectSchema, decision);
    const { by, reason = null } = decision;
    return this.#run("change", async (records) => {
      const record = await findUndecided(records, id, null);
      const rejection = { status: "rejected", decidedBy: by, decidedAt: records.now(), reason } as const;
      const rejected = await records.swap(id, { status: "pending" }, rejection);
      if (rejected === null) throw await createDecidedError(records, record);
      return toProposal(rejected);
    });
  }

  /** Keeps what was learnt from: of the memory, or of the messages of a thread. Signals do not end `advance`. @internal */
  progress(thread: string | null = null): ProgressRecord {
    return {
      open: () => this.#run("change", (records) => records.progress(thread).open()),
      read: () => this.#run("read", (records) => records.progress(thread).read()),
      advance: (before, after) =>
        this.#run("change", (records) => records.progress(thread).advance(before, after), this.#unended),
    };
  }

  /** Returns the newest proposals of a client, oldest first. @internal */
  async newest(client: string, status: ChangeStatus, limit: number): Promise<MemoryProposal[]> {
    return (await this.#run("read", (records) => records.newest(client, status, limit))).map(toProposal);
  }

  /** Removes a proposal that still waits, as if it was never made. Signals do not end it. @internal */
  withdraw(id: string): Promise<void> {
    return this.#run("change", (records) => records.withdraw(id), this.#unended);
  }

  get #unended(): MemoryContext {
    return { ...this.#context, signals: [] };
  }

  #run<R>(
    stage: "read" | "change",
    run: (records: LearningRecords, call: Call) => Promise<R>,
    context: MemoryContext = this.#context,
  ): Promise<R> {
    return runCall(context, async (call) => {
      const records = context.backend.features?.approvals?.(call);
      if (records === undefined) throw new TypeError("this storage keeps no proposals");
      call.stage = stage;
      return run(records, call);
    });
  }

  async #createBaseChangedError(record: ChangeRecord, call: Call): Promise<MemoryError> {
    const presentChange = await this.#describePresentChange(record, call);
    const advice = "nothing was changed; reject it, and let it be proposed again";
    return new MemoryError(
      "ECONFLICT",
      `ECONFLICT: ${record.path} has changed since the proposal ${record.id} was made; ${advice}. It would now ` +
        `be:\n${presentChange}`,
      { details: { presentChange } },
    );
  }

  /** Returns the diff that the change would have now, or the message with which it would be refused. */
  async #describePresentChange(record: ChangeRecord, call: Call): Promise<string> {
    const { backend, options } = this.#context;
    const settings = { maxFileBytes: options.maxFileBytes, showPath: (path: string) => path };
    try {
      const change = createRecordedChange(record);
      const planned = await planChange(await loadTree(backend, change, call), change, settings, call);
      return planned?.diff ?? "no change";
    } catch (error) {
      if (isRefusal(error)) return error.message;
      throw error;
    }
  }
}

async function findProposal(records: ChangeRecords, id: unknown): Promise<ChangeRecord | null> {
  if (typeof id !== "string") throw invalid(`the id of a proposal must be a text (given ${preview(id)})`);
  const record = await records.find(id);
  return record?.kind === "proposal" ? record : null;
}

/**
 * Finds a proposal that nobody has decided. Also returns one that `by` has approved, if this call resumed it.
 * @throws MemoryError ENOENT, ECONFLICT
 */
async function findUndecided(records: ChangeRecords, id: string, by: Reviewer | null): Promise<ChangeRecord> {
  const record = await findProposal(records, id);
  if (record === null) throw new MemoryError("ENOENT", `ENOENT: there is no proposal ${preview(id)} of this memory`);
  const resumed = await resume(records, record);
  if (resumed.status === "pending") return resumed;
  const isApprovedByCaller =
    record.status === "applying" &&
    resumed.status === "approved" &&
    resumed.claim === record.claim &&
    resumed.decidedBy?.userId === by?.userId;
  if (by !== null && isApprovedByCaller) return resumed;
  throw await createDecidedError(records, resumed);
}

async function createDecidedError(records: ChangeRecords, record: ChangeRecord): Promise<MemoryError> {
  const { id, status, decidedBy } = await reload(records, record);
  // The approval was released meanwhile, because the base had changed.
  if (status === "pending")
    return new MemoryError(
      "ECONFLICT",
      `ECONFLICT: another reviewer was about to decide about the proposal ${id}; it is open again`,
    );
  const reviewer = decidedBy?.userId === undefined ? "" : ` by ${shorten(decidedBy.userId, 64)}`;
  const decision = { proposal: id, status: status === "rejected" ? status : "approved" } as const;
  return new MemoryError("ECONFLICT", `ECONFLICT: the proposal ${id} was ${decision.status}${reviewer} already`, {
    details: { decision },
  });
}

function toProposal(record: ChangeRecord): MemoryProposal {
  const { id, status, command, path, to, oldContent, base, actor, at, decidedBy, decidedAt, reason, edited, origin } =
    record;
  const proposed = { content: record.content, diff: record.diff };
  const texts = edited === null ? proposed : { content: edited.content, diff: edited.diff, proposed };
  return {
    id,
    status,
    command,
    path,
    to,
    ...texts,
    oldContent,
    base,
    ...(origin && { origin }),
    actor,
    at,
    decidedBy,
    decidedAt,
    reason,
  };
}
