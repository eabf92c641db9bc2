import type { MemoryBackend } from "../contract/backend.js";
import { MemoryError } from "../values/errors.js";
import type { CallContext } from "../runtime/call.js";
import { digestTree } from "../tree/digest.js";
import { MemoryTree } from "../tree/memory-tree.js";
import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "../contract/change-record.js";
import { createApprovedChange } from "./plan-change.js";

/** Only the last 1,000 records are kept. If a record was dropped, the person is asked again. */
const maxRecords = 1000;

const records = new Map<string, ChangeRecord>();

/** The records of a backend that keeps none: they last as long as the process. */
export class ProcessRecords implements ChangeRecords {
  readonly #backend: MemoryBackend;
  readonly #call: CallContext;

  constructor(backend: MemoryBackend, call: CallContext) {
    this.#backend = backend;
    this.#call = call;
  }

  now(): Date {
    return new Date();
  }

  async find(id: string): Promise<ChangeRecord | null> {
    return records.get(id) ?? null;
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    const kept = records.get(record.id);
    if (kept !== undefined && kept.status !== "pending") return kept;
    return this.#keep(record);
  }

  async swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    const kept = records.get(id);
    if (kept === undefined || kept.status !== expected.status) return null;
    if (expected.token !== undefined && kept.token !== expected.token) return null;
    return this.#keep({ ...kept, ...fields });
  }

  async *list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncGenerator<ChangeRecord> {
    for (const record of records.values()) if (record.kind === kind && statuses.includes(record.status)) yield record;
  }

  async apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const backend = this.#backend;
    const change = createApprovedChange(record);
    if (!(await isCurrent())) return "raced";
    try {
      await backend.change(change, { expectedDigest: record.base }, this.#call);
      return "applied";
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== "ECONFLICT") throw error;
      const digest = digestTree(new MemoryTree(await backend.snapshot(this.#call)), change);
      return digest === record.base ? "raced" : "changed";
    }
  }

  async unmark(): Promise<void> {}

  /** The latest is kept longest. */
  #keep(record: ChangeRecord): ChangeRecord {
    records.delete(record.id);
    records.set(record.id, record);
    for (const id of records.keys()) {
      if (records.size <= maxRecords) break;
      records.delete(id);
    }
    return record;
  }
}
