import type { Report } from "../command.js";
import { countText } from "../terminal/format.js";
import type { TransferCounts } from "./transfer.js";

export function reportTransfer(verb: string, transfers: readonly TransferCounts[]): Report {
  const counts = { memories: transfers.length, written: 0, replaced: 0, unchanged: 0 };
  for (const transfer of transfers)
    for (const name of ["written", "replaced", "unchanged"] as const) counts[name] += transfer[name];
  const { memories, written, replaced, unchanged } = counts;
  const parts = [`${countText(written, "file")} written`];
  if (replaced > 0) parts.push(`${countText(replaced, "file")} replaced`);
  if (unchanged > 0) parts.push(`${countText(unchanged, "file")} there already`);
  return { json: counts, text: `${verb} ${countText(memories, "memory")}: ${parts.join(", ")}\n` };
}
