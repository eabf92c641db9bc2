import { getTexts, type RecordRedaction } from "../../../core/approval/redact-records.js";
import type { ChangeRecord } from "../../../core/contract/change-record.js";
import type { TextRedactor } from "../../../core/history/text-redactor.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import type { PresentMemory } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import type { VersionDocument } from "../version-document.js";
import { FileTextRedaction, redactTextOfDirectories, type RedactionMark } from "./cover-file.js";
import { findPresent, type PresentOccurrences } from "./present-occurrences.js";
import type { FileWalk, RedactionSubject } from "./subject.js";
import { hasTreeDigest, isWaitingOn, toSource } from "./tied-records.js";
import type { Redaction } from "./write-redactions.js";

/** A literal text, which is covered wherever it is (ADR 0046). */
export class TextSubject implements RedactionSubject {
  readonly records: RecordRedaction;
  readonly forms: readonly TextRedactor[];
  /** The versions that contain or contained the text, named as sources of proposals. */
  readonly #sources = new Set<string>();
  readonly #redactor: TextRedactor;

  /** @param redactor of one form of the text. @param forms all of them */
  constructor(redactor: TextRedactor, forms: readonly TextRedactor[]) {
    this.#redactor = redactor;
    this.forms = forms;
    this.records = {
      isTied: (record) => isWaitingOn(record, this.#sources) || getTexts(record).some((each) => redactor.isIn(each)),
      isPathRedacted: (path) => redactor.isIn(path),
      coverShort: (other) => redactor.coverShort(other),
      coverSources: (sources) => redactor.coverSources(sources),
      coverActor: (actor) => redactor.coverActor(actor),
    };
  }

  note(versions: readonly VersionDocument[]): void {
    for (const version of versions) this.#sources.add(toSource(version));
  }

  canFollow(record: ChangeRecord): boolean {
    return record.origin !== undefined || hasTreeDigest(record);
  }

  findPresent(present: PresentMemory): Steps<PresentOccurrences> {
    return findPresent(present, this.#redactor);
  }

  listFiles(view: HistoryView): Promise<Map<string, string>> {
    return view.files();
  }

  redactDirectories(version: VersionDocument): Redaction[] {
    return redactTextOfDirectories(version, this.#redactor);
  }

  openFile(mark: RedactionMark, present: string | undefined): FileWalk {
    return new FileTextRedaction({ redactor: this.#redactor, mark, present });
  }
}
