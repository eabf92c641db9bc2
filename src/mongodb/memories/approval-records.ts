import type { RunLease } from "../../core/contract/run-lease.js";
import { createApprovedChange } from "../../core/approval/plan-change.js";
import type { ApplyOutcome, ChangeRecord, ChangeStatus, LeasedRecords } from "../../core/contract/change-record.js";
import type { CallContext } from "../../core/runtime/call.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { getScope } from "../../core/tree/change.js";
import { digestTree } from "../../core/tree/digest.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import type { MemoryActor } from "../../core/values/actor.js";
import { ActorCall } from "./actor-call.js";
import type { PagedMemory } from "./memory-context.js";
import { removeAppliedIds } from "./changing/page-writes.js";
import type { StoredMemory } from "./stored-memory.js";

/** The longest time that a run may wait for a person. After that a new approval is requested. */
const interruptMs = 30 * 86_400_000;

/** The changes of one memory that wait for a person, for one call. */
export class ApprovalRecords implements LeasedRecords {
  readonly #memory: PagedMemory;
  readonly #stored: StoredMemory;
  readonly #call: CallContext;

  constructor(memory: PagedMemory, stored: StoredMemory, call: CallContext) {
    this.#memory = memory;
    this.#stored = stored;
    this.#call = call;
  }

  now(): Date {
    return this.#memory.clock();
  }

  find(id: string): Promise<ChangeRecord | null> {
    return this.#memory.records.find(this.#memory.address, id, this.#call);
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    const { records, address } = this.#memory;
    return records.put(address, record, await this.#findExpiry(record), this.#call);
  }

  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    return this.#memory.records.swap(this.#memory.address, id, expected, fields, this.#call);
  }

  lease(thread: string | null): RunLease {
    const { records, address, expiry } = this.#memory;
    return records.lease(address, thread, expiry.lifetimeMs(address.scope), this.#call);
  }

  newest(client: string, status: ChangeStatus, limit: number): Promise<ChangeRecord[]> {
    return this.#memory.records.newest(this.#memory.address, { client, status, limit }, this.#call);
  }

  withdraw(id: string): Promise<void> {
    return this.#memory.records.withdraw(this.#memory.address, id, this.#call);
  }

  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord> {
    return this.#memory.records.list(this.#memory.address, kind, statuses, this.#call);
  }

  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const { clock, fileClock, limits } = this.#memory;
    const change = createApprovedChange(record);
    const scope = { ...getScope(change), needsTexts: true, approvalId: record.id };
    return this.#stored.transact<ApplyOutcome>(
      scope,
      async (tree, { isApplied }) => {
        if (isApplied) return { edits: noEdits, result: "applied" };
        if (digestTree(tree, change) !== record.base) return { edits: noEdits, result: "changed" };
        // This check must come after the read of the memory: see `applyOnce`.
        if (!(await isCurrent())) return { edits: noEdits, result: "raced" };
        const { edits } = applyChange(tree, change, { now: (fileClock ?? clock)(), maxFileBytes: limits.maxFileBytes });
        return { edits, result: "applied" };
      },
      new ActorCall(this.#call, { actor: getAuthor(record), origin: record.origin ?? null }),
    );
  }

  async unmark(id: string): Promise<void> {
    const head = await this.#stored.reads.findHead({ applied: 1 }, this.#call);
    const marks = Object.keys(head?.applied ?? {});
    if (marks.length === 0) return;
    const states = await Promise.all(marks.map(async (mark) => (mark === id ? null : this.find(mark))));
    const unused = marks.filter((_mark, index) => states[index]?.status !== "applying");
    await removeAppliedIds(this.#memory, unused, this.#call);
  }

  /**
   * Returns the expiry time of a record: at the latest when the memory would expire without changes after the proposal.
   */
  async #findExpiry({ kind, at }: ChangeRecord): Promise<Date | null> {
    const { expiry, address } = this.#memory;
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    const times = kind === "interrupt" ? [at.getTime() + interruptMs] : [];
    if (lifetimeMs !== null) {
      const head = await this.#stored.reads.findHead({}, this.#call);
      times.push((head?.updatedAt ?? at).getTime() + lifetimeMs);
    }
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
