import type { Call } from "../measuring/measure.js";
import type { ByVersion } from "./versions.js";

export interface NamedCall {
  /** The table it stands in. */
  area: string;
  name: string;
  /** In each round; of an import all of its processes. */
  iterations: number;
}

/** A call of one version. */
export interface VersionCall extends NamedCall {
  call: Call;
  /** Untimed, before each round. */
  reset?: () => Promise<void>;
  /** Untimed, after each iteration. */
  restore?: Call;
}

/** What it took, in milliseconds: the median of each round. */
export interface MeasuredCall extends NamedCall {
  rounds: ByVersion<number>[];
  /** Whether the versions answered differently, times aside. */
  answersDiffer: boolean;
}
