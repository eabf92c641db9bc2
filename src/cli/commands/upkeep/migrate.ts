import { Option } from "commander";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemoryDatabase, MemoryFacts } from "../../../mongodb/admin/memory-database.js";
import { type AddCommand, createCommand } from "../../command.js";
import { about } from "../../errors.js";
import { formatAddress } from "../../targets/address.js";
import { assertThere } from "../../targets/missing-memory.js";
import { withDatabase } from "../../targets/open-target.js";
import {
  databaseOptions,
  getDatabaseTarget,
  getOptionalAddress,
  idOption,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";

const migrateEarlierFormat = createCommand<TargetOptions & { dryRun?: boolean }>({
  usage: "earlier-format",
  description:
    "Rewrite memories of earlier formats in today's form: those with nested data, and those with an ObjectId as _id. " +
    "Until then a store refuses the collection. You can run it again.",
  examples: ["migrate earlier-format --dry-run", "migrate earlier-format --node assistant"],
  options: [
    idOption("--node <id>", "only the memory of this node (default: all)"),
    idOption("--thread <id>", "only the memory of this thread of the node"),
    idOption("--user <id>", "only the memory of this user of the node"),
    new Option("--dry-run", "only say what it would do"),
    ...databaseOptions,
  ],
  run: async (input, context) => {
    const { dryRun = false } = input;
    const only = getOptionalAddress(input);
    const addresses = await withDatabase(getDatabaseTarget(input, context.io.env), async (database) => {
      if (only !== undefined) await assertThere(database, only);
      const outdated = await about("the database", () => findOutdated(database.facts(only)));
      return dryRun ? outdated : upgradeEach(database, outdated);
    });
    return {
      json: { dryRun, rewritten: addresses.length, addresses },
      text: `${dryRun ? "to rewrite" : "rewrote"}: ${countText(addresses.length, "memory")}\n`,
    };
  },
});

/** Reads all before any is changed, because a list in progress would also return changed memories. */
async function findOutdated(facts: AsyncIterable<MemoryFacts>): Promise<CheckedAddress[]> {
  const addresses: CheckedAddress[] = [];
  for await (const { address, outdated } of facts) if (outdated) addresses.push(address);
  return addresses;
}

/** @returns the memories that still had the earlier format */
async function upgradeEach(database: MemoryDatabase, addresses: readonly CheckedAddress[]): Promise<CheckedAddress[]> {
  const upgraded: CheckedAddress[] = [];
  for (const address of addresses)
    if (await about(formatAddress(address), () => database.upgrade(address))) upgraded.push(address);
  return upgraded;
}

export const migrate: AddCommand = (program, context) => {
  const group = program.command("migrate").description("Bring in data of the earlier system.");
  migrateEarlierFormat(group, context);
};
