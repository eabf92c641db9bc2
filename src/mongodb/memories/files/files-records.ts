import type { CheckedAddress } from "../../../core/values/address.js";
import type { ApplyOutcome, ChangeRecord } from "../../../core/contract/change-record.js";
import { createApprovedChange } from "../../../core/approval/plan-change.js";
import { digestTree } from "../../../core/tree/digest.js";
import { parentIsFile, pathIsDirectory } from "../../../core/values/errors.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { MemoryRecords } from "../memory-records.js";
import type { FilesContext } from "./files-context.js";
import type { StoredFiles } from "./stored-files.js";
import type { TreeSteps } from "./tree-steps.js";

/**
 * The changes of one memory that wait for a person. The transaction that makes an approved one marks the memory with
 * its id.
 */
export class FilesRecords extends MemoryRecords {
  readonly #context: FilesContext;
  readonly #stored: StoredFiles;
  readonly #check: (text: string) => void;

  /** @param check refuses a text that is too large */
  constructor(context: FilesContext, stored: StoredFiles, address: CheckedAddress, check: (text: string) => void) {
    super(context, address);
    this.#context = context;
    this.#stored = stored;
    this.#check = check;
  }

  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    return this.#stored.changes.inTransaction<ApplyOutcome>(
      async (steps, session) => {
        const root = await this.#stored.reads.rootIn(session);
        if (root?.applied?.[record.id] === true) return "applied";
        // The transaction ends only if nobody else has changed what it changes since it read this.
        const found = await this.#stored.reads.snapshotIn(session);
        if (digestTree(new MemoryTree(found), createApprovedChange(record)) !== record.base) return "changed";
        // After the memory was read: see `carryOut`.
        if (!(await isCurrent())) return "raced";
        await this.#make(steps, record, found);
        await steps.mark(record.id);
        return "applied";
      },
      { isChange: (outcome) => outcome === "applied" },
    );
  }

  async #make(steps: TreeSteps, record: ChangeRecord, found: MemorySnapshot): Promise<void> {
    const { command, path, to, edited } = record;
    const after = edited?.after ?? record.after;
    const at = (this.#context.fileClock ?? this.#context.clock)();
    if (after !== null) {
      this.#check(after);
      const put = await steps.put({ path, text: after, at });
      if (put === "directory") throw pathIsDirectory();
      if (put === "parentIsFile") throw parentIsFile();
    } else if (command === "rename") await steps.rename(path, to ?? path, at, () => undefined);
    else if (found.files.some((file) => file.path === path)) await steps.deleteFile(path);
    else await steps.deleteDirectory(path, at);
  }

  protected async marks(): Promise<string[]> {
    return Object.keys((await this.#stored.reads.root())?.applied ?? {});
  }

  protected removeMarks(ids: readonly string[]): Promise<void> {
    return this.#stored.changes.unmark(ids);
  }

  protected async updatedAt(): Promise<Date | null> {
    return (await this.#stored.reads.root())?.updatedAt ?? null;
  }
}
