import type { MoveInOutcome } from "./options.js";

/** The results of `moveIn`. With `dryRun`, the results that it would have. */
export interface MoveInReport {
  /** The run that the versions and the proposals name. */
  runId: string;
  /** Files. */
  written: number;
  /** Files that wait for a person. */
  proposed: number;
  /** Conversations that the log did not have, or not completely. */
  logged: number;
  /** Files and conversations that were there already, or had been proposed before. */
  unchanged: number;
  /** Items that could not be taken. */
  skipped: number;
  /** Items that lost a part. */
  shortened: number;
  /** The first 1,000 items that were skipped or shortened. */
  losses: MoveInOutcome[];
}

const maxLosses = 1000;

/** Counts the outcomes. */
export class ReportWriter {
  readonly report: MoveInReport;
  readonly #onOutcome: ((outcome: MoveInOutcome) => void) | undefined;

  constructor(runId: string, onOutcome: ((outcome: MoveInOutcome) => void) | undefined) {
    this.report = {
      runId,
      written: 0,
      proposed: 0,
      logged: 0,
      unchanged: 0,
      skipped: 0,
      shortened: 0,
      losses: [],
    };
    this.#onOutcome = onOutcome;
  }

  add(outcome: MoveInOutcome): void {
    const { report } = this;
    report[outcome.result] += 1;
    if (outcome.why !== null && outcome.result !== "skipped") report.shortened += 1;
    if (outcome.why !== null && report.losses.length < maxLosses) report.losses.push(outcome);
    this.#onOutcome?.(outcome);
  }

  skip(what: string, why: string, path: string | null = null): void {
    this.add({ what, path, result: "skipped", why });
  }
}
