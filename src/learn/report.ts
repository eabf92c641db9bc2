import type { CheckedAddress } from "../core/values/address.js";
import type { LearnUsage } from "./ask-model.js";
import type { DroppedOperation } from "./operation.js";

/** The report of a run of `learn`. */
export interface LearnReport {
  address: CheckedAddress;
  /** Names the run in proposals and versions. Null if there was nothing new. */
  runId: string | null;
  /** The ids of the proposals, in the order of the answer. */
  proposals: string[];
  /** The paths of the additions that were made at once, with `append-only`. */
  applied: string[];
  /** The operations that were refused, after one repair. */
  dropped: DroppedOperation[];
  /** Whether there was nothing new, so that the model was not asked. */
  isUpToDate: boolean;
  /** The number of messages at the end that did not fit into `inputChars`. Give them to a later run. */
  unread: number;
  /** Whether versions are left to the next run. */
  more: boolean;
  usage: LearnUsage;
}

export function createReport(address: CheckedAddress, fields: Partial<LearnReport>): LearnReport {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return {
    address,
    runId: null,
    proposals: [],
    applied: [],
    dropped: [],
    isUpToDate: false,
    unread: 0,
    more: false,
    usage,
    ...fields,
  };
}
