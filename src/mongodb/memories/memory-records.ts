import type { CheckedAddress } from "../../core/values/address.js";
import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "../../core/contract/change-record.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { RecordCollection } from "../proposals/record-collection.js";
import { recordsInCall } from "./in-call.js";
import type { MemoryExpiry } from "./memory-expiry.js";

/** How long a run may wait for a person. After that it asks again. */
const interruptMs = 30 * 86_400_000;

interface RecordsContext {
  records: RecordCollection;
  clock: () => Date;
  expiry: MemoryExpiry;
  call?: CallContext;
}

/**
 * The changes of one memory that wait for a person. A layout makes an approved one, and marks the memory with its id in
 * the same step.
 */
export abstract class MemoryRecords implements ChangeRecords {
  readonly #context: RecordsContext;
  readonly #address: CheckedAddress;

  constructor(context: RecordsContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
  }

  abstract apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome>;

  /** The ids with which the memory is marked. */
  protected abstract marks(): Promise<string[]>;

  protected abstract removeMarks(ids: readonly string[]): Promise<void>;

  /** When the memory was last changed, if it is there. */
  protected abstract updatedAt(): Promise<Date | null>;

  now(): Date {
    return this.#context.clock();
  }

  find(id: string): Promise<ChangeRecord | null> {
    return recordsInCall(this.#context).find(this.#address, id);
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    return recordsInCall(this.#context).put(this.#address, record, await this.#expiryOf(record));
  }

  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    return recordsInCall(this.#context).swap(this.#address, id, expected, fields);
  }

  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord> {
    return recordsInCall(this.#context).list(this.#address, kind, statuses);
  }

  async unmark(id: string): Promise<void> {
    const marks = await this.marks();
    if (marks.length === 0) return;
    const states = await Promise.all(marks.map(async (mark) => (mark === id ? null : this.find(mark))));
    await this.removeMarks(marks.filter((_mark, index) => states[index]?.status !== "applying"));
  }

  /** A proposal goes with the memory at the latest, as that was when it was made. */
  async #expiryOf({ kind, at }: ChangeRecord): Promise<Date | null> {
    const lifetimeMs = this.#context.expiry.lifetimeMs(this.#address.scope);
    const times = kind === "interrupt" ? [at.getTime() + interruptMs] : [];
    if (lifetimeMs !== null) times.push(((await this.updatedAt()) ?? at).getTime() + lifetimeMs);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}
