import { Option } from "commander";
import { withArchiveFile, withArchiveInput } from "../../archive/read-archive.js";
import { planTransfer } from "../../archive/plan-transfer.js";
import { reportTransfer, runTransfers, type TransferCounts, type TransferPlan } from "../../archive/transfer-plan.js";
import type { Tree } from "../../archive/tree.js";
import { createCommand, programName } from "../../command.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { openMemoryIn, transferSettings, withDatabase, withTarget } from "../../targets/open-target.js";
import { actorOption, refuseOptions, targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getTarget } from "../../targets/targets.js";

interface ImportOptions extends TargetOptions {
  from: string;
  overwrite?: boolean;
  history: boolean;
}

export const importMemories = createCommand<ImportOptions>({
  usage: "import <from>",
  description:
    "Restore an export: a JSONL file, or JSONL from the standard input (-). It goes into the memory that you name; without a name, " +
    "each memory goes to where it came from. It checks everything before it writes, and deletes nothing. " +
    "If it is interrupted, run it again: it skips files that are already equal.",
  examples: [
    "import memories.jsonl",
    "import assistant.jsonl --node assistant --user ada@example.com",
    "import memory.jsonl --dir ./memory --overwrite",
    `gunzip -c memories.jsonl.gz | ${programName} import -`,
  ],
  options: [
    new Option("--overwrite", "replace files that exist with other contents"),
    new Option("--no-history", "import the files without the versions of the export"),
    ...targetOptions,
    actorOption,
  ],
  run: async (input, context) => {
    const { from, history } = input;
    const run = (trees: Tree[]): Promise<TransferCounts[]> =>
      importTrees(history ? trees : trees.map((tree) => ({ ...tree, history: null })), input, context);
    return reportTransfer(
      "imported",
      await (from === "-" ? withArchiveInput(context.io.stdin, run) : withArchiveFile(from, run)),
    );
  },
});

async function importTrees(trees: Tree[], input: ImportOptions, context: CliContext): Promise<TransferCounts[]> {
  const { from, node, dir, overwrite = false, paths = "posix", as } = input;
  const { env } = context.io;
  if (node !== undefined || dir !== undefined) {
    const [tree, ...others] = trees;
    if (tree === undefined || others.length > 0)
      throw usageError(
        `${from} holds ${trees.length} memories; leave --node and --dir out, and each goes to where it came from`,
      );
    return withTarget(getTarget(input, env), transferSettings, async (open) =>
      runTransfers([await planTransfer(tree, open, overwrite)], context),
    );
  }
  refuseOptions(input, ["thread", "user"], "needs --node; leave both out, and each memory goes to where it came from");
  return withDatabase(getDatabaseTarget(input, env), async (database) => {
    const plans: TransferPlan[] = [];
    for (const tree of trees) {
      if (tree.address === null)
        throw usageError(
          `${from} holds a memory that was kept in a folder; pass --node, or --dir, for where it shall go`,
        );
      const open = openMemoryIn(database, tree.address, { ...transferSettings, paths, as });
      plans.push(await planTransfer(tree, open, overwrite));
    }
    return runTransfers(plans, context);
  });
}
