import type { OwnerField } from "../../../core/values/address.js";
import type { ProposalSummary } from "../../../core/approval/proposal-summary.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import type { AddressRange } from "./address-ranges.js";
import type { MemorySummary } from "./memory-filter.js";

/** The position after a page of summaries: the ids as stored. */
export type PageEnd = { nodeId: string } & Partial<Record<OwnerField, string>>;

export interface SummaryPage {
  summaries: MemorySummary[];
  /** Null if nothing follows. */
  end: PageEnd | null;
}

export type ReadPage = (range: AddressRange, after: PageEnd | null) => Promise<SummaryPage>;

/**
 * Reads the summaries of these ranges. Requests a page only after the previous page was consumed, and keeps nothing
 * open in between.
 */
export async function* summariesIn(ranges: readonly AddressRange[], readPage: ReadPage): AsyncGenerator<MemorySummary> {
  for (const range of ranges) {
    let after: PageEnd | null = null;
    do {
      const { summaries, end }: SummaryPage = await readPage(range, after);
      yield* summaries;
      after = end;
    } while (after !== null);
  }
}

/** Reads the summaries of proposals in the same way. */
export async function* proposalsIn(
  readPage: (after: ProposalPageEnd | null) => Promise<ProposalPage>,
): AsyncGenerator<ProposalSummary> {
  let after: ProposalPageEnd | null = null;
  do {
    const { summaries, end }: ProposalPage = await readPage(after);
    yield* summaries;
    after = end;
  } while (after !== null);
}
