import type { SnapshotFile } from "../core/memory.js";
import type { Steps } from "../core/runtime/time-slices.js";

/**
 * The kind of a finding.
 *
 * - `hidden`: characters that nobody sees.
 * - `empty`: a file without text.
 * - `stale`: a note past the date that its front matter states as `stale_after`.
 * - `duplicate`: a file or a line that stands elsewhere, but for case, accents, blanks and the punctuation at its ends.
 * - `deadLink`: a link to a file that is not there.
 * - `large`: a file with more characters than a connector shows.
 */
export type TidyKind = "hidden" | "empty" | "stale" | "duplicate" | "deadLink" | "large";

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
}

/** A finding of a check. */
export type FoundFault = Omit<TidyFinding, "path">;

/** The facts that all checks of a run get. */
export interface TidyScope {
  /** The paths of all files and directories. */
  paths: ReadonlySet<string>;
  /** The point of the mounted memory that is examined. "/" without mounts. */
  point: string;
  maxChars: number;
  at: Date;
}

/** Examines one file, in short steps. */
type ExamineFile = (file: SnapshotFile) => Steps<FoundFault[]>;

/** Begins a check of one memory. It gets the files in the order of their paths. */
export type TidyCheck = (scope: TidyScope) => ExamineFile;

/** A finding about a whole file. */
type FileFault = Pick<FoundFault, "kind" | "message">;

/** Creates a check of whole files. It needs one step for each file. */
export function checkEachFile(examine: (file: SnapshotFile, scope: TidyScope) => FileFault | null): TidyCheck {
  return (scope) =>
    function* examineFile(file) {
      yield;
      const found = examine(file, scope);
      if (found === null) return [];
      return [{ ...found, line: null, count: 0 }];
    };
}
