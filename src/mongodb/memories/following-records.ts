import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "../../core/contract/change-record.js";

/** Runs a call on the records of the layout that keeps the memory. */
type RunOnRecords = <T>(act: "read" | "change", run: (records: ChangeRecords) => Promise<T>) => Promise<T>;

/**
 * The changes of a memory that wait for a person. They are in one collection for all layouts; what concerns the memory
 * itself follows it.
 */
export class FollowingRecords implements ChangeRecords {
  readonly #home: ChangeRecords;
  readonly #run: RunOnRecords;

  constructor(home: ChangeRecords, run: RunOnRecords) {
    this.#home = home;
    this.#run = run;
  }

  now(): Date {
    return this.#home.now();
  }

  find(id: string): Promise<ChangeRecord | null> {
    return this.#home.find(id);
  }

  /** A record expires with its memory, whose last change is asked for: a memory that is nowhere has none. */
  put(record: ChangeRecord): Promise<ChangeRecord> {
    return this.#run("read", (records) => records.put(record));
  }

  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    return this.#home.swap(id, expected, fields);
  }

  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord> {
    return this.#home.list(kind, statuses);
  }

  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    return this.#run("change", (records) => records.apply(record, isCurrent));
  }

  unmark(id: string): Promise<void> {
    return this.#run("read", (records) => records.unmark(id));
  }
}
