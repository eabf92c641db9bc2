import type { CheckedAddress } from "../../../core/values/address.js";
import type { ApplyOutcome, ChangeRecord } from "../../../core/contract/change-record.js";
import { createApprovedChange } from "../../../core/approval/plan-change.js";
import { digestTree } from "../../../core/tree/digest.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { MemoryRecords } from "../memory-records.js";
import type { DocumentContext } from "./document-context.js";
import type { StoredDocument } from "./stored-document.js";

/**
 * The changes of one memory that wait for a person. The document is marked with the id of an approved one in the step
 * that makes it.
 */
export class DocumentRecords extends MemoryRecords {
  readonly #document: StoredDocument;
  readonly #make: (record: ChangeRecord, found: MemoryDocument | null) => Promise<"applied" | "raced">;

  constructor(
    context: DocumentContext,
    document: StoredDocument,
    address: CheckedAddress,
    make: (record: ChangeRecord, found: MemoryDocument | null) => Promise<"applied" | "raced">,
  ) {
    super(context, address);
    this.#document = document;
    this.#make = make;
  }

  async apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const found = await this.#document.reads.findWhole();
    if (found !== null && found.revision === undefined) {
      await this.#document.rewriteEarlierFormat();
      return "raced";
    }
    if (found?.applied?.[record.id] === true) return "applied";
    if (digestTree(new MemoryTree(snapshotOfDocument(found)), createApprovedChange(record)) !== record.base)
      return "changed";
    // After the memory was read: see `carryOut`.
    return (await isCurrent()) ? this.#make(record, found) : "raced";
  }

  protected async marks(): Promise<string[]> {
    return Object.keys((await this.#document.reads.findWhole())?.applied ?? {});
  }

  protected removeMarks(ids: readonly string[]): Promise<void> {
    return this.#document.unmark(ids);
  }

  protected updatedAt(): Promise<Date | null> {
    return this.#document.reads.findUpdatedAt();
  }
}
