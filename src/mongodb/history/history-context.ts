import type { ChangeRecords } from "../../core/contract/change-record.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { Restoration, StoredHistory } from "./history-source.js";
import type { RecordedChange } from "./outbox.js";
import type { VersionCollection } from "./version-collection.js";

/** What the history of one memory works with. */
export interface HistoryContext {
  source: StoredHistory;
  /**
   * Applies a planned revert in one step, if the memory is still at that revision.
   * @returns the recorded change; null if the memory has changed.
   * @throws ENOSPC
   */
  restore: (restoration: Restoration, revision: number) => Promise<RecordedChange | null>;
  /** Covers a text in a present file, as a change of this file alone. @throws ENOENT, EISDIR, ENOTDIR */
  cover: (path: string, redactor: Pick<TextRedactor, "text" | "mask">) => Promise<void>;
  versions: VersionCollection;
  /** The changes that wait or waited for a person. They contain texts too. */
  proposals: ChangeRecords;
  /** Removes the stored embeddings of the texts of the memory. The next search creates them again. */
  removeVectors: () => Promise<void>;
  clock: () => Date;
  maxFileBytes: number;
}
