/** What a run measures, from its options. */
export interface Settings {
  rounds: number;
  /** Files of a memory. */
  fileCounts: readonly number[];
  /** Items of a store. */
  itemCounts: readonly number[];
  vectorCounts: readonly number[];
  /** Files to which the large memory grows. */
  largeFileCount: number;
  /** The folder with the data sets of the search. Without it, how good it is is not measured. */
  data: string | undefined;
}
