import type { CheckedAddress } from "../../../core/address.js";
import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "../../../core/approval/change-record.js";
import { baseOf } from "../../../core/approval/plan.js";
import { MemoryTree } from "../../../core/tree.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { type DocumentContext, recordsInCall } from "./document-context.js";
import type { StoredDocument } from "./stored-document.js";

/** How long a run may wait for a person. After that it asks again. */
const interruptMs = 30 * 86_400_000;

/** The changes of one memory that wait for a person. The document is marked with the id of an approved one in the step that makes it. */
export class DocumentRecords implements ChangeRecords {
  readonly #context: DocumentContext;
  readonly #document: StoredDocument;
  readonly #address: CheckedAddress;
  readonly #make: (record: ChangeRecord, found: MemoryDocument | null) => Promise<"applied" | "raced">;

  constructor(
    context: DocumentContext,
    document: StoredDocument,
    address: CheckedAddress,
    make: (record: ChangeRecord, found: MemoryDocument | null) => Promise<"applied" | "raced">,
  ) {
    this.#context = context;
    this.#document = document;
    this.#address = address;
    this.#make = make;
  }

  now(): Date {
    return this.#context.clock();
  }

  find(id: string): Promise<ChangeRecord | null> {
    return recordsInCall(this.#context).find(this.#address, id);
  }

  async put(record: ChangeRecord): Promise<ChangeRecord> {
    return recordsInCall(this.#context).put(this.#address, record, await this.#expiryOf(record));
  }

  swap(id: string, expected: { status: ChangeStatus; token?: string | null }, fields: Partial<ChangeRecord>): Promise<ChangeRecord | null> {
    return recordsInCall(this.#context).swap(this.#address, id, expected, fields);
  }

  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord> {
    return recordsInCall(this.#context).list(this.#address, kind, statuses);
  }

  async apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const found = await this.#document.findWhole();
    if (found !== null && found.revision === undefined) {
      await this.#document.rewriteEarlierFormat();
      return "raced";
    }
    if (found?.applied?.[record.id] === true) return "applied";
    if (baseOf(new MemoryTree(snapshotOfDocument(found)), record) !== record.base) return "changed";
    // After the memory was read: see `carryOut`.
    return (await isCurrent()) ? this.#make(record, found) : "raced";
  }

  async unmark(id: string): Promise<void> {
    const found = await this.#document.findWhole();
    const marks = Object.keys(found?.applied ?? {});
    if (marks.length === 0) return;
    const states = await Promise.all(marks.map(async (mark) => (mark === id ? null : this.find(mark))));
    await this.#document.unmark(marks.filter((_mark, index) => states[index]?.status !== "applying"));
  }

  /** A proposal goes with the memory at the latest, as that was when it was made. */
  async #expiryOf({ kind, at }: ChangeRecord): Promise<Date | null> {
    const lifetimeMs = this.#context.expiry.lifetimeMs(this.#address.scope);
    const times = kind === "interrupt" ? [at.getTime() + interruptMs] : [];
    if (lifetimeMs !== null) times.push(((await this.#document.findWhole())?.updatedAt ?? at).getTime() + lifetimeMs);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}
