import { createApprovedChange } from "../../core/approval/plan-change.js";
import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "../../core/contract/change-record.js";
import type { CallContext } from "../../core/runtime/call.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { getScope } from "../../core/tree/change.js";
import { digestTree } from "../../core/tree/digest.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import type { MemoryActor } from "../../core/values/actor.js";
import type { CheckedAddress } from "../../core/values/address.js";
import type { RecordCollection } from "../proposals/record-collection.js";
import { ActorCall } from "./actor-call.js";
import type { MemoryExpiry } from "./expiry/memory-expiry.js";
import type { StoredMemory } from "./contract/stored-memory.js";

/** How long a run may wait for a person. After that a new approval is requested. */
const interruptMs = 30 * 86_400_000;

export interface ApprovalContext {
  address: CheckedAddress;
  records: RecordCollection;
  expiry: MemoryExpiry;
  clock: () => Date;
  /** The times of files, if they differ from those of `clock`. */
  fileClock?: (() => Date) | undefined;
  maxFileBytes: number;
}

/** The changes of one memory that wait for a person, for one call. */
export class ApprovalRecords implements ChangeRecords {
  readonly #context: ApprovalContext;
  readonly #stored: StoredMemory;
  readonly #call: CallContext;

  constructor(context: ApprovalContext, stored: StoredMemory, call: CallContext) {
    this.#context = context;
    this.#stored = stored;
    this.#call = call;
  }

  now(): Date {
    return this.#context.clock();
  }

  find(id: string): Promise<ChangeRecord | null> {
    return this.#context.records.find(this.#context.address, id, this.#call);
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    const { records, address } = this.#context;
    return records.put(address, record, await this.#findExpiry(record), this.#call);
  }

  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    return this.#context.records.swap(this.#context.address, id, expected, fields, this.#call);
  }

  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord> {
    return this.#context.records.list(this.#context.address, kind, statuses, this.#call);
  }

  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const { clock, fileClock, maxFileBytes } = this.#context;
    const change = createApprovedChange(record);
    const scope = { ...getScope(change), needsTexts: true, approvalId: record.id };
    return this.#stored.transact<ApplyOutcome>(
      scope,
      async (tree, { isApplied }) => {
        if (isApplied) return { edits: noEdits, result: "applied" };
        if (digestTree(tree, change) !== record.base) return { edits: noEdits, result: "changed" };
        // This check must come after the read of the memory: see `applyOnce`.
        if (!(await isCurrent())) return { edits: noEdits, result: "raced" };
        const { edits } = applyChange(tree, change, { now: (fileClock ?? clock)(), maxFileBytes });
        return { edits, result: "applied" };
      },
      new ActorCall(this.#call, getAuthor(record)),
    );
  }

  async unmark(id: string): Promise<void> {
    const marks = await this.#stored.appliedIds(this.#call);
    if (marks.length === 0) return;
    const states = await Promise.all(marks.map(async (mark) => (mark === id ? null : this.find(mark))));
    const unused = marks.filter((_mark, index) => states[index]?.status !== "applying");
    await this.#stored.removeAppliedIds(unused, this.#call);
  }

  /**
   * Returns the expiry time of a record: at the latest when the memory would expire without changes after the proposal.
   */
  async #findExpiry({ kind, at }: ChangeRecord): Promise<Date | null> {
    const { expiry, address } = this.#context;
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    const times = kind === "interrupt" ? [at.getTime() + interruptMs] : [];
    if (lifetimeMs !== null) times.push(((await this.#stored.updatedAt(this.#call)) ?? at).getTime() + lifetimeMs);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}

/**
 * The history names who wrote the words: the proposer, or the person who approved other words. The run stays, so that
 * it can be undone.
 */
function getAuthor({ actor, edited, decidedBy }: ChangeRecord): MemoryActor | null {
  return edited === null || decidedBy === null ? actor : { ...actor, ...decidedBy };
}
