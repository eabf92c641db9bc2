import type { SnapshotFile } from "../core/memory.js";
import type { Steps } from "../core/runtime/turns.js";

/**
 * The kind of a finding.
 *
 * - `hidden`: characters that nobody sees.
 * - `empty`: a file without text.
 * - `stale`: a note past the date that its front matter states as `stale_after`.
 * - `duplicate`: a file or a line that stands elsewhere, letter for letter.
 * - `nearDuplicate`: the same words with other case, accents, punctuation or blanks.
 * - `deadLink`: a link to a file that is not there.
 * - `large`: a file with more characters than a connector shows.
 */
export type TidyKind = "hidden" | "empty" | "stale" | "duplicate" | "nearDuplicate" | "deadLink" | "large";

/** One finding of `tidy`. Findings of the same kind in one file are one finding, except links. */
export interface TidyFinding {
  kind: TidyKind;
  path: string;
  /** The number of the first line, from 1. Null if the finding is about the whole file. */
  line: number | null;
  /** The number of lines. 0 if the finding is about the whole file. */
  count: number;
  /** The finding in words. */
  message: string;
  /** The change that `propose` proposes. `split` moves the end of a file into further files. */
  remedy: "edit" | "delete" | "archive" | "split";
  /** The id of the proposal that changes the file. With `propose` only. */
  proposal?: string;
  /** Why the change was not proposed. With `propose` only. */
  refused?: string;
}

/** Returns the new text of a line, or null to remove the line. @param line the number of the line, from 1 */
export type EditLine = (text: string, line: number) => string | null;

/** A finding of a check. */
export interface FoundFault extends Omit<TidyFinding, "path"> {
  /** Only for the remedy `edit`. */
  edit?: EditLine;
}

/** The facts that all checks of a run get. */
export interface TidyScope {
  /** The paths of all files and directories. */
  paths: ReadonlySet<string>;
  /** The point of the mounted memory that is examined. "/" without mounts. */
  point: string;
  /** The paths of the files of this memory. */
  files: readonly string[];
  maxChars: number;
  at: Date;
}

/** Examines one file, in short steps. */
type ExamineFile = (file: SnapshotFile) => Steps<FoundFault[]>;

/** Begins a check of one memory. It gets the files in the order of their paths. */
export type TidyCheck = (scope: TidyScope) => ExamineFile;

/** A finding about a whole file. */
type FileFault = Pick<FoundFault, "kind" | "message" | "remedy">;

/** Creates a check of whole files. It needs one step for each file. */
export function checkEachFile(examine: (file: SnapshotFile, scope: TidyScope) => FileFault | null): TidyCheck {
  return (scope) =>
    function* examineFile(file) {
      yield;
      const found = examine(file, scope);
      if (found === null) return [];
      const { kind, message, remedy } = found;
      return [{ kind, line: null, count: 0, message, remedy }];
    };
}
