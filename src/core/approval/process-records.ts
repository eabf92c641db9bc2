import type { MemoryBackend } from "../backend.js";
import { MemoryError } from "../values/errors.js";
import { MemoryTree } from "../tree/memory-tree.js";
import type { ApplyOutcome, ChangeRecord, ChangeRecords, ChangeStatus } from "./change-record.js";
import { baseOf } from "./plan.js";

/** Whoever waits longer than for a thousand others is asked again. */
const maxRecords = 1000;

const records = new Map<string, ChangeRecord>();

/** The records of a backend that keeps none: they last as long as the process. */
export class ProcessRecords implements ChangeRecords {
  readonly #backend: MemoryBackend;

  constructor(backend: MemoryBackend) {
    this.#backend = backend;
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

  /** A text is compared and set in one step. What is deleted or moved is compared just before. */
  async apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const backend = this.#backend;
    const { command, path, to, before, base, isDirectory } = record;
    const after = record.edited?.after ?? record.after;
    if (!(await isCurrent())) return "raced";
    try {
      if (after !== null && before !== null) {
        await backend.edit(path, (text) => {
          if (text !== before) throw new BaseChanged();
          return after;
        });
      } else if (after !== null) {
        await backend.write(path, after, { ifExists: "fail", ifMissing: "create" });
      } else {
        if (baseOf(new MemoryTree(await backend.snapshot()), record) !== base) return "changed";
        if (command === "delete") await backend.delete(path, isDirectory ? "delete" : "fail");
        else if (to !== null) await backend.rename(path, to, () => undefined);
      }
      return "applied";
    } catch (error) {
      const hasChanged =
        error instanceof BaseChanged ||
        (MemoryError.isInstance(error) && ["ENOENT", "EEXIST", "EISDIR"].includes(error.code));
      if (hasChanged) return "changed";
      throw error;
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

class BaseChanged extends Error {}
