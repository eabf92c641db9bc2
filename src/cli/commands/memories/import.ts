import { Option } from "commander";
import { type Archive, withArchiveFile, withArchiveInput } from "../../archive/read-archive.js";
import { planTransfer } from "../../archive/plan-transfer.js";
import {
  reportTransfer,
  runEachTransfer,
  runTransfers,
  type TransferCounts,
  type TransferPlan,
} from "../../archive/transfer-plan.js";
import type { Tree } from "../../archive/tree.js";
import { createCommand, programName } from "../../command.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { openMemoryIn, transferSettings, withDatabase, withTarget } from "../../targets/open-target.js";
import { actorOption, refuseOptions, targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getTarget } from "../../targets/targets.js";

interface ImportOptions extends TargetOptions {
  file: string;
  overwrite?: boolean;
  history: boolean;
}

export const importMemories = createCommand<ImportOptions>({
  usage: "import <file>",
  description:
    "Restore an export: a JSONL file, or JSONL from the standard input (-). It goes into the memory that you name; " +
    "without a name, each memory goes to where it came from. It checks everything before it writes, and deletes " +
    "nothing. If it is interrupted, run it again: it skips files that are already equal.",
  examples: [
    "import memories.jsonl",
    "import assistant.jsonl --node assistant --user ada",
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
    const { file } = input;
    const run = (archive: Archive): Promise<TransferCounts[]> => importArchive(archive, input, context);
    return reportTransfer(
      "imported",
      await (file === "-" ? withArchiveInput(context.io.stdin, run) : withArchiveFile(file, run)),
    );
  },
});

async function importArchive(
  { memories, trees }: Archive,
  input: ImportOptions,
  context: CliContext,
): Promise<TransferCounts[]> {
  const { file, node, dir, overwrite = false, paths = "posix", as, history } = input;
  const { env } = context.io;
  const readEach = async (run: (tree: Tree) => Promise<void>): Promise<void> => {
    for await (const tree of trees()) await run(history ? tree : { ...tree, history: null });
  };
  if (node !== undefined || dir !== undefined) {
    if (memories !== 1)
      throw usageError(
        `${file} holds ${memories} memories; leave --node and --dir out, and each goes to where it came from`,
      );
    return withTarget(getTarget(input, env), transferSettings, async (open) => {
      const plans: TransferPlan[] = [];
      await readEach(async (tree) => void plans.push(await planTransfer(tree, open, overwrite)));
      return runTransfers(plans, context);
    });
  }
  refuseOptions(input, ["thread", "user"], "needs --node; leave both out, and each memory goes to where it came from");
  return withDatabase(getDatabaseTarget(input, env), async (database) => {
    const planEach = (run: (plan: TransferPlan) => Promise<void>): Promise<void> =>
      readEach(async (tree) => {
        if (tree.address === null)
          throw usageError(
            `${file} holds a memory that was kept in a folder; pass --node, or --dir, for where it shall go`,
          );
        const open = openMemoryIn(database, tree.address, { ...transferSettings, paths, as });
        await run(await planTransfer(tree, open, overwrite));
      });
    if (memories > 1) return runEachTransfer(planEach, context);
    const plans: TransferPlan[] = [];
    await planEach(async (plan) => void plans.push(plan));
    return runTransfers(plans, context);
  });
}
