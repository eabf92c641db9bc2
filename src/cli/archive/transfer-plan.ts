import type { Report } from "../command.js";
import type { CliContext } from "../context.js";
import { countText } from "../terminal/format.js";
import { withProgress } from "../terminal/progress.js";

/** What makes a memory hold all of a tree, decided before anything is written. */
export interface TransferPlan {
  /** How many files it writes. */
  files: number;
  run: (onFile: () => void) => Promise<TransferCounts>;
}

export interface TransferCounts {
  /** New files. */
  written: number;
  replaced: number;
  /** Files that were there already, equal. */
  unchanged: number;
  /** Versions that came along. */
  versions: number;
}

export function runTransfers(plans: readonly TransferPlan[], { err }: CliContext): Promise<TransferCounts[]> {
  return withProgress(err, "files", async (progress) => {
    for (const { files } of plans) progress.total += files;
    const counts: TransferCounts[] = [];
    for (const plan of plans) counts.push(await plan.run(() => progress.step()));
    return counts;
  });
}

/**
 * Runs transfers that may not fit into memory together. It plans all of them before it runs the first, and plans each
 * again before it runs it.
 */
export function runEachTransfer(
  planEach: (run: (plan: TransferPlan) => Promise<void>) => Promise<void>,
  { err }: CliContext,
): Promise<TransferCounts[]> {
  return withProgress(err, "files", async (progress) => {
    const counts: TransferCounts[] = [];
    await planEach(async ({ files }) => void (progress.total += files));
    await planEach(async (plan) => void counts.push(await plan.run(() => progress.step())));
    return counts;
  });
}

export function reportTransfer(verb: string, transfers: readonly TransferCounts[]): Report {
  const counts = { memories: transfers.length, written: 0, replaced: 0, unchanged: 0, versions: 0 };
  for (const transfer of transfers)
    for (const name of ["written", "replaced", "unchanged", "versions"] as const) counts[name] += transfer[name];
  const { memories, written, replaced, unchanged, versions } = counts;
  const parts = [`${countText(written, "file")} written`];
  if (replaced > 0) parts.push(`${countText(replaced, "file")} replaced`);
  if (unchanged > 0) parts.push(`${countText(unchanged, "file")} there already`);
  if (versions > 0) parts.push(countText(versions, "version"));
  return { json: counts, text: `${verb} ${countText(memories, "memory")}: ${parts.join(", ")}\n` };
}
