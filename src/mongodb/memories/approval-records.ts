import type { ProgressRecord } from "../../core/contract/learn-progress.js";
import { createApprovedChange } from "../../core/approval/plan-change.js";
import type {
  ApplyOutcome,
  ChangeRecord,
  ChangeStatus,
  LearningRecords,
  RecordPage,
  RecordPageEnd,
} from "../../core/contract/change-record.js";
import { type CallContext, createCallBy } from "../../core/runtime/call.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { getScope } from "../../core/tree/change.js";
import { digestTree } from "../../core/tree/digest.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import type { MemoryActor } from "../../core/values/actor.js";
import { isDuplicateKey } from "../driver/errors.js";
import { reading } from "../driver/reads.js";
import { literals } from "../driver/records.js";
import type { StoredRecord } from "../proposals/record-collection.js";
import { createProgressRecord } from "../proposals/progress-record.js";
import { type PagedMemory, prepare } from "./memory-context.js";
import { removeAppliedIds } from "./changing/page-writes.js";
import { transact } from "./changing/transact.js";
import { findHead } from "./reading/load.js";

/** The longest time that a run may wait for a person. After that a new approval is requested. */
const interruptMs = 30 * 86_400_000;

/** The most records of a page. The server also ends a page at 16 MB. */
const recordsAtOnce = 500;

/** Reads a record without the fields that name its memory. */
const readOptions = {
  projection: { nodeId: 0, scope: 0, threadId: 0, userId: 0, expiresAt: 0 },
} as const;

/** The changes of one memory that wait for a person, for one call. */
export class ApprovalRecords implements LearningRecords {
  readonly #memory: PagedMemory;
  readonly #call: CallContext;

  constructor(memory: PagedMemory, call: CallContext) {
    this.#memory = memory;
    this.#call = call;
  }

  now(): Date {
    return this.#memory.clock();
  }

  async find(id: string): Promise<ChangeRecord | null> {
    const { records, address } = this.#memory;
    const found = await records.read((collection, present) =>
      collection.findOne<StoredRecord>({ _id: id, ...address, ...present }, this.#call, readOptions),
    );
    return found && parseRecord(found);
  }

  async put({ id, ...record }: ChangeRecord): Promise<ChangeRecord> {
    const { records, address } = this.#memory;
    // A proposal stays until it is decided or forgotten, even if its memory expires.
    const expiry = record.kind === "interrupt" ? { expiresAt: new Date(record.at.getTime() + interruptMs) } : {};
    const $literal = { _id: id, ...address, ...record, ...expiry };
    return records.create(async (collection) => {
      try {
        const options = { upsert: true, projection: { _id: 1 } };
        const update = [{ $replaceWith: { $literal } }];
        await collection.findOneAndUpdate({ _id: id, status: "pending" }, update, this.#call, options);
        return { id, ...record };
      } catch (error) {
        const decided = isDuplicateKey(error) ? await this.find(id) : null;
        if (decided === null) throw error;
        return decided;
      }
    });
  }

  async swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    const { records, address } = this.#memory;
    const update = [{ $set: literals(fields) }];
    const before = await records.write((collection, present) => {
      const filter = { _id: id, ...address, ...expected, ...present };
      return collection.findOneAndUpdate<StoredRecord>(filter, update, this.#call, readOptions);
    });
    return before && { ...parseRecord(before), ...fields };
  }

  progress(thread: string | null): ProgressRecord {
    const { records, address, clock, expiry } = this.#memory;
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    return createProgressRecord({ records, address, thread, lifetimeMs, clock, call: this.#call });
  }

  async newest(client: string, status: ChangeStatus, limit: number): Promise<ChangeRecord[]> {
    const { records, address } = this.#memory;
    const found = await records.read((collection, present) => {
      const filter = { ...address, kind: "proposal", status, "actor.client": client, ...present };
      const options = { sort: { at: -1, _id: -1 }, limit, ...readOptions } as const;
      return collection.find<StoredRecord>(filter, this.#call, options).toArray();
    });
    return found.toReversed().map(parseRecord);
  }

  async withdraw(id: string): Promise<void> {
    const { records, address } = this.#memory;
    const filter = { _id: id, ...address, status: "pending" } as const;
    await records.write((collection) => collection.deleteMany(filter, this.#call));
  }

  page(
    kind: ChangeRecord["kind"],
    statuses: readonly ChangeStatus[],
    after: RecordPageEnd | null,
  ): Promise<RecordPage> {
    const { records, address } = this.#memory;
    return records.read(async (collection, present) => {
      const rest = after && { at: { $gte: after.at }, $or: [{ at: { $gt: after.at } }, { _id: { $gt: after.id } }] };
      const filter = { ...address, kind, status: { $in: statuses }, ...present, ...rest };
      const options = { sort: { at: 1, _id: 1 }, limit: recordsAtOnce, batchSize: recordsAtOnce + 1 } as const;
      const cursor = collection.find<StoredRecord>(filter, this.#call, { ...options, ...readOptions });
      try {
        await cursor.hasNext();
        const page = cursor.readBufferedDocuments().map(parseRecord);
        const isCut = page.length === recordsAtOnce || cursor.id?.isZero() === false;
        return { records: page, end: (isCut && page.at(-1)) || null };
      } finally {
        await cursor.close();
      }
    });
  }

  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const { clock, limits } = this.#memory;
    const change = createApprovedChange(record);
    const { sources, trust } = record.origin ?? {};
    const origin = sources && trust ? { sources, trust } : null;
    const scope = { ...getScope(change), needsTexts: true, approvalId: record.id };
    return transact<ApplyOutcome>(
      this.#memory,
      scope,
      async (tree, { isApplied }) => {
        if (isApplied) return { edits: noEdits, result: "applied" };
        if (digestTree(tree, change) !== record.base) return { edits: noEdits, result: "changed" };
        // This check must come after the read of the memory: see `applyOnce`.
        if (!(await isCurrent())) return { edits: noEdits, result: "raced" };
        const { edits } = applyChange(tree, change, { now: clock(), maxFileBytes: limits.maxFileBytes });
        return { edits, result: "applied" };
      },
      // The id of its record already makes an approved change once, so the change needs no identity.
      createCallBy({ actor: getAuthor(record), origin }, this.#call),
    );
  }

  async unmark(id: string): Promise<void> {
    const memory = this.#memory;
    await prepare(memory);
    const head = await reading(() => findHead(memory, { applied: 1 }, this.#call));
    const marks = Object.keys(head?.applied ?? {});
    if (marks.length === 0) return;
    const states = await Promise.all(marks.map(async (mark) => (mark === id ? null : this.find(mark))));
    const unused = marks.filter((_mark, index) => states[index]?.status !== "applying");
    await removeAppliedIds(memory, unused, this.#call);
  }
}

/**
 * The history names who wrote the words: the proposer, or the person who approved other words. The run stays, so that
 * it can be undone.
 */
function getAuthor({ actor, edited, decidedBy }: ChangeRecord): MemoryActor | null {
  return edited === null || decidedBy === null ? actor : { ...actor, ...decidedBy };
}

function parseRecord({ _id: id, ...record }: StoredRecord): ChangeRecord {
  return { id, ...record };
}
