import type { CheckedAddress } from "../../core/values/address.js";
import type { MemoryFacts } from "../../mongodb/admin/memory-database.js";
import { about } from "../errors.js";
import type { Output } from "../terminal/output.js";
import { withProgress } from "../terminal/progress.js";
import { formatAddress } from "./format-address.js";

/**
 * Reads the addresses of all matching memories before any is changed, because a list in progress would also return
 * changed memories. Leaves out documents with ids that no memory can have.
 */
export async function readAddresses(
  facts: AsyncIterable<MemoryFacts>,
  matches: (facts: MemoryFacts) => boolean = () => true,
): Promise<CheckedAddress[]> {
  const addresses: CheckedAddress[] = [];
  for await (const memory of facts) if (memory.address !== null && matches(memory)) addresses.push(memory.address);
  return addresses;
}

/** Changes one memory at a time. @returns the memories for which `change` returned true */
export function changeEach(
  addresses: readonly CheckedAddress[],
  err: Output,
  change: (address: CheckedAddress) => Promise<boolean>,
): Promise<CheckedAddress[]> {
  return withProgress(err, "memories", async (progress) => {
    progress.total = addresses.length;
    const changed: CheckedAddress[] = [];
    for (const address of addresses) {
      if (await about(formatAddress(address), () => change(address))) changed.push(address);
      progress.step();
    }
    return changed;
  });
}
