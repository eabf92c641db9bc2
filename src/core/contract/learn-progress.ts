/** What good runs of a program that learns have read. It is erased with the memory. */
export interface LearnProgress {
  /** A version of the history, or messages of a thread. Null before the first good run. */
  bookmark: string | null;
  lastRunId: string | null;
}

/** Keeps the progress of one memory, or of one thread. */
export interface ProgressRecord {
  /**
   * Creates the record if there is none.
   * @returns also a random text of the record. Ids that are made of texts contain it, so that nobody can guess a short
   *   text by its id
   */
  open(): Promise<LearnProgress & { salt: string }>;
  /** @returns null if the memory is forgotten */
  read(): Promise<LearnProgress | null>;
  /** Keeps what a good run has read, unless another run has moved the bookmark, or the memory is forgotten. */
  advance(before: LearnProgress, after: LearnProgress): Promise<void>;
}
