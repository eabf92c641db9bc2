import { Option } from "commander";
import type { MemoryFacts } from "../../../mongodb/admin/memory-database.js";
import { createCommand } from "../../command.js";
import { about } from "../../errors.js";
import { changeEach, readAddresses } from "../../targets/each-memory.js";
import { assertThere } from "../../targets/missing-memory.js";
import { withDatabase } from "../../targets/open-target.js";
import { databaseOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getOptionalAddress } from "../../targets/targets.js";
import { countText } from "../../terminal/format.js";

export const migrateEarlierFormat = createCommand<TargetOptions & { dryRun?: boolean }>({
  usage: "earlier-format",
  description:
    "Rewrite documents of the earlier system, with nested data, in today's form. Their first change does the same. " +
    "You can run it again.",
  examples: ["migrate earlier-format --dry-run", "migrate earlier-format --node assistant"],
  options: [
    new Option("--node <id>", "only the memory of this node (default: all)"),
    new Option("--thread <id>", "only the memory of this thread of the node"),
    new Option("--user <id>", "only the memory of this user of the node"),
    new Option("--dry-run", "only say what it would do"),
    ...databaseOptions,
  ],
  run: async (input, context) => {
    const { dryRun = false } = input;
    const only = getOptionalAddress(input);
    const addresses = await withDatabase(getDatabaseTarget(input, context.io.env), async (database) => {
      if (only !== undefined) await assertThere(database, only);
      const outdated = await about("the database", () => readAddresses(database.facts(only), isOutdated));
      return dryRun ? outdated : changeEach(outdated, context.err, (address) => database.upgrade(address));
    });
    return {
      json: { dryRun, rewritten: addresses.length, addresses },
      text: `${dryRun ? "to rewrite" : "rewrote"}: ${countText(addresses.length, "memory")}\n`,
    };
  },
});

const isOutdated = ({ outdated }: MemoryFacts): boolean => outdated;
