import { type MemoryBackend, nameStorage } from "../contract/backend.js";
import { hasCode } from "../values/errors.js";
import type { CallContext } from "../runtime/call.js";
import { RecentMap } from "../runtime/recent-map.js";
import { digestTree } from "../tree/digest.js";
import { MemoryTree } from "../tree/memory-tree.js";
import type { ApplyOutcome, ChangeRecord, ChangeStatus, InterruptRecords } from "../contract/change-record.js";
import { createApprovedChange } from "./plan-change.js";

/** By storage and id. Only the last 1,000 records are kept. If a record was dropped, the person is asked again. */
const records = new RecentMap<ChangeRecord>(1000);

/** Records for a backend that stores none. They are lost when the process ends, so proposals are not among them. */
export class ProcessRecords implements InterruptRecords {
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
    return records.get(this.#key(id)) ?? null;
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    const stored = records.get(this.#key(record.id));
    if (stored !== undefined && stored.status !== "pending") return stored;
    records.set(this.#key(record.id), record);
    return record;
  }

  async withdraw(id: string): Promise<void> {
    if (records.get(this.#key(id))?.status === "pending") records.delete(this.#key(id));
  }

  async swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    const stored = records.get(this.#key(id));
    if (stored === undefined || stored.status !== expected.status) return null;
    if (expected.token !== undefined && stored.token !== expected.token) return null;
    const changed = { ...stored, ...fields };
    records.set(this.#key(id), changed);
    return changed;
  }

  async apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const backend = this.#backend;
    const change = createApprovedChange(record);
    if (!(await isCurrent())) return "raced";
    try {
      await backend.change(change, { expectedDigest: record.base }, this.#call);
      return "applied";
    } catch (error) {
      if (!hasCode(error, "ECONFLICT")) throw error;
      const digest = digestTree(new MemoryTree(await backend.snapshot(this.#call)), change);
      return digest === record.base ? "raced" : "changed";
    }
  }

  async unmark(): Promise<void> {}

  #key(id: string): string {
    return `${nameStorage(this.#backend)} ${id}`;
  }
}
