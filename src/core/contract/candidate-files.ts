import type { FileText } from "../tree/snapshot.js";

/** The files of a large memory that a storage has chosen for a search. */
export interface CandidateFiles {
  texts: FileText[];
  /** The memory has at least so many files. Files that were not chosen count as files without a word of the query. */
  files: number;
}
