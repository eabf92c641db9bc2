import type { Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { changeEach, readAddresses } from "../../targets/each-memory.js";
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

export interface MoveOptions extends TargetOptions, DestinationOptions {
  all?: boolean;
}

/**
 * Moves one memory at a time to another layout. The old place keeps a forwarding record. After an interruption the next
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
    const moved = await changeEach(addresses, err, (address) => database.move(address, toLayout));
    return { json: { memories: moved.length }, text: `moved ${countText(moved.length, "memory")}\n` };
  });
}
