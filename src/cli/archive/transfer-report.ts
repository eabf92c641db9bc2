import type { TransferCounts } from "./transfer.js";
import { countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";

export interface TransferSum extends TransferCounts {
  memories: number;
}

export function sumCounts(all: readonly TransferCounts[]): TransferSum {
  const sum = { memories: all.length, written: 0, replaced: 0, unchanged: 0 };
  for (const { written, replaced, unchanged } of all) {
    sum.written += written;
    sum.replaced += replaced;
    sum.unchanged += unchanged;
  }
  return sum;
}

export async function reportTransfer(
  verb: string,
  sum: TransferSum,
  json: boolean,
  { out }: CliContext,
): Promise<void> {
  const { memories, written, replaced, unchanged } = sum;
  if (json) return out.json({ ok: true, ...sum });
  const parts = [`${countText(written, "file")} written`];
  if (replaced > 0) parts.push(`${countText(replaced, "file")} replaced`);
  if (unchanged > 0) parts.push(`${countText(unchanged, "file")} there already`);
  return out.line(`${verb} ${countText(memories, "memory")}: ${parts.join(", ")}`);
}
