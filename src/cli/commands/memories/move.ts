import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemoryFacts } from "../../../mongodb/admin/memory-database.js";
import type { Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, usageError } from "../../errors.js";
import { formatAddress } from "../../targets/format-address.js";
import { assertThere } from "../../targets/missing-memory.js";
import { withDatabase } from "../../targets/open-target.js";
import {
  type DestinationOptions,
  memoryFlags,
  refuseOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { getDatabaseTarget, getOptionalAddress } from "../../targets/targets.js";
import { countText } from "../../terminal/format.js";
import { withProgress } from "../../terminal/progress.js";

export interface MoveOptions extends TargetOptions, DestinationOptions {
  all?: boolean;
}

/**
 * Moves one memory at a time to another layout. The old place keeps a forwarding record. If it is interrupted, the next
 * run moves the rest.
 */
export function moveMemories(input: MoveOptions, { io, err }: CliContext): Promise<Report> {
  const { toLayout, all } = input;
  refuseOptions(
    input,
    ["toUri", "toDb", "toCollection", "toNode", "toThread", "toUser", "toDir"],
    "does not go with --move, which changes the layout alone; leave one of the two out",
  );
  refuseOptions(
    input,
    ["history", "overwrite", "as"],
    "does not go with --move, which takes a memory along as it is; leave one of the two out",
  );
  if (toLayout === undefined)
    throw usageError("--move needs --to-layout, which names the layout that the memories move to");
  if (all === true) refuseOptions(input, memoryFlags, "does not go with --all; leave one of the two out");
  const named = all === true ? undefined : getOptionalAddress(input);
  if (all !== true && named === undefined)
    throw usageError("no memory was named; pass --node, or --all for all memories of the database");
  return withDatabase(getDatabaseTarget(input, io.env), async (database) => {
    if (named !== undefined) await assertThere(database, named);
    const addresses = named === undefined ? await readAddresses(database.facts()) : [named];
    const memories = await withProgress(err, "memories", async (progress) => {
      progress.total = addresses.length;
      let moved = 0;
      for (const address of addresses) {
        if (await about(formatAddress(address), () => database.move(address, toLayout))) moved += 1;
        progress.step();
      }
      return moved;
    });
    return { json: { memories }, text: `moved ${countText(memories, "memory")}\n` };
  });
}

/** All at once, as the list would continue with moved memories. Leaves out documents that are none of ours. */
async function readAddresses(facts: AsyncIterable<MemoryFacts>): Promise<CheckedAddress[]> {
  const addresses: CheckedAddress[] = [];
  for await (const { address } of facts) if (address !== null) addresses.push(address);
  return addresses;
}
