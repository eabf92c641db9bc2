import type { RecordRedaction } from "../../../core/approval/redact-records.js";
import type { ChangeRecord } from "../../../core/contract/change-record.js";
import type { TextRedactor } from "../../../core/history/text-redactor.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import type { PresentMemory } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import type { CoverMark, VersionDocument } from "../version-document.js";
import type { FileRedaction, RedactionMark } from "./cover-file.js";
import type { PresentOccurrences } from "./present-occurrences.js";
import type { Redaction } from "./write-redactions.js";

/** What a redaction removes: a text wherever it is, or the earlier versions of a file. */
export interface RedactionSubject {
  /** How records lose it. A record can also be tied by versions that `note` was called with. */
  readonly records: RecordRedaction;
  /** The forms to cover in present files, each file in one change. None: present texts stay. */
  readonly forms: readonly TextRedactor[];
  /** Takes note of versions that are about to be redacted. */
  note(versions: readonly VersionDocument[]): void;
  /** Whether a record can be tied by versions. */
  canFollow(record: ChangeRecord): boolean;
  /** @throws MemoryError if the memory as it is cannot be redacted */
  findPresent(present: PresentMemory): Steps<PresentOccurrences>;
  /** Returns the id of the last version of each file that may have versions to redact, by the id of the first one. */
  listFiles(view: HistoryView): Promise<Map<string, string>>;
  /** Redacts a version that records only directories. */
  redactDirectories(version: VersionDocument): Redaction[];
  /** @param present the text of the file now, if it has one */
  openFile(mark: RedactionMark, present: string | undefined): FileWalk;
}

/** Goes from the newest version of a file to the oldest, and plans its redaction. */
export interface FileWalk {
  /** Whether no version so far has anything to redact. */
  readonly isClean: boolean;
  /** Marks of versions so far whose texts are all covered. */
  readonly servedMarks: readonly CoverMark[];
  /**
   * Adds the next older version.
   * @yields a full part, which the caller must store before it goes on; undefined after each short step
   */
  add(version: VersionDocument): Generator<FileRedaction | void, void>;
  /** Yields the last part. */
  end(): Generator<FileRedaction, void>;
}
