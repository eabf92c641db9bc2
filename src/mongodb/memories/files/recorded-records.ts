import type { CheckedAddress } from "../../../core/values/address.js";
import type { ApplyOutcome, ChangeRecord } from "../../../core/contract/change-record.js";
import { createApprovedChange } from "../../../core/approval/plan-change.js";
import { digestTree } from "../../../core/tree/digest.js";
import { ROOT } from "../../../core/values/paths.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { FilesContext } from "./files-context.js";
import { FilesRecords } from "./files-records.js";
import type { RecordedTree } from "./recorded-tree.js";
import type { StoredFiles } from "./stored-files.js";

/** The same where there is a history: an approved change makes its versions too. */
export class RecordedRecords extends FilesRecords {
  readonly #context: FilesContext;
  readonly #stored: StoredFiles;
  readonly #check: (text: string) => void;

  constructor(context: FilesContext, stored: StoredFiles, address: CheckedAddress, check: (text: string) => void) {
    super(context, stored, address, check);
    this.#context = context;
    this.#stored = stored;
    this.#check = check;
  }

  override apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome> {
    const { path, to, actor, id } = record;
    const { fileClock, clock } = this.#context;
    return this.#stored.changes.queued<ApplyOutcome>({
      paths: [path, to ?? path],
      below: [ROOT],
      chars: 0,
      // Who proposed it has made it. Who approved it, the record says.
      actor,
      clock,
      fileClock,
      apply: async (tree) => {
        if (tree.root?.applied?.[id] === true) return "applied";
        if (digestTree(new MemoryTree(tree.snapshot()), createApprovedChange(record)) !== record.base) return "changed";
        // After the memory was read: see `carryOut`.
        if (!(await isCurrent())) return "raced";
        this.#make(tree, record);
        tree.setRoot({ applied: { ...tree.root?.applied, [id]: true } });
        return "applied";
      },
    });
  }

  #make(tree: RecordedTree, { command, path, to, edited, after: proposed }: ChangeRecord): void {
    const after = edited?.after ?? proposed;
    if (after !== null) {
      this.#check(after);
      tree.put(path, after);
    } else if (command === "rename") tree.rename(path, to ?? path, () => undefined);
    else if (tree.kind(path) === "file") tree.deleteFile(path);
    else tree.deleteDirectory(path);
  }
}
