import { Option } from "commander";
import { checkMemoryFilter } from "../../../mongodb/admin/checks.js";
import type { ExpireMsOptions, MemoryDatabase, MemorySummary } from "../../../mongodb/admin/memory-database.js";
import { createCommand } from "../../command.js";
import { pickDefined } from "../../collections.js";
import { parseDuration } from "../../duration.js";
import { usageError } from "../../errors.js";
import { withMemories } from "../../targets/open-target.js";
import { databaseOptions, type TargetOptions } from "../../targets/target-options.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../terminal/format.js";
import { printEach } from "../../terminal/print-each.js";
import { formatSummary } from "./memories.js";

interface SweepOptions extends TargetOptions, ExpireMsOptions {
  yes?: boolean;
  dryRun?: boolean;
}

/** As of the option `expireMs` of a store. */
const maxAge = "3650d";

export const sweep = createCommand<SweepOptions>({
  usage: "sweep",
  description:
    "Erase the memories that nobody has changed for some time. Give the times that the application sets in " +
    "`expireMs`. MongoDB erases them too, some minutes after their end, and their versions later.",
  examples: ["sweep --per-thread 30d --dry-run", "sweep --per-thread 30d --yes"],
  options: [
    ageOption("--per-thread <age>", "age of the memories of threads: a number and w, d, h, m or s, such as 30d"),
    ageOption("--per-user <age>", "age of the memories of users"),
    ageOption("--global <age>", "age of the memories of nodes"),
    new Option("--yes", "do not ask; needed without a terminal"),
    new Option("--dry-run", "only show what it would erase"),
    ...databaseOptions,
  ],
  run: async (input, context) => {
    const { yes = false, dryRun = false } = input;
    const { global, perThread, perUser } = input;
    const ages: ExpireMsOptions = pickDefined({ global, perThread, perUser });
    if (Object.keys(ages).length === 0)
      throw usageError(
        "no age was given; pass --per-thread, --per-user or --global, as the application's expireMs says",
      );
    if (!yes && !dryRun) assertCanConfirm("sweep", "--yes, or --dry-run to see what would go", context);
    return withMemories(context, input, async (database) => {
      if (dryRun) {
        const expired = findExpired(database, ages, Date.now());
        await printEach(context, input.json, expired, formatSummary, "no memory has expired");
        return undefined;
      }
      const scopes = new Intl.ListFormat("en-GB").format(Object.keys(ages));
      const question = `Erase all memories of ${scopes} that are older, and all that is kept of them for good?`;
      if (!yes && !(await confirm(question, "erased", context))) return undefined;
      const { memories } = (await database.hasCollections()) ? await database.sweepExpired(ages) : { memories: 0 };
      return { json: { memories }, text: `erased ${countText(memories, "memory")}\n` };
    });
  },
});

function ageOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((given: string) => {
    const ageMs = parseDuration(given);
    if (ageMs > 0 && ageMs <= parseDuration(maxAge)) return ageMs;
    throw usageError(`${option.long} ${given} is no age: pass a number and w, d, h, m or s, at most ${maxAge}`);
  });
}

async function* findExpired(
  database: MemoryDatabase,
  ages: ExpireMsOptions,
  nowMs: number,
): AsyncGenerator<MemorySummary> {
  for (const [scope, ageMs] of Object.entries(ages)) {
    for await (const summary of database.summaries(checkMemoryFilter({ scope })))
      if (summary.updatedAt.getTime() <= nowMs - ageMs) yield summary;
  }
}
