import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { readFolderArchive } from "../archive/folder-archive.js";
import { withJsonlFile, withJsonlInput } from "../archive/jsonl-archive.js";
import { carryOut, planTransfer, type TransferPlan } from "../archive/transfer.js";
import type { Tree } from "../archive/tree.js";
import { newCommand, programName } from "../command.js";
import { inputFault, usageFault, withFile } from "../fault.js";
import type { CliContext } from "../context.js";
import { memoryIn, withDatabase, withTarget } from "../targets/open-target.js";
import { withProgress } from "../terminal/progress.js";
import {
  addActorOption,
  addTargetOptions,
  databaseOf,
  refuseFlags,
  type TargetOptions,
  targetOf,
} from "../targets/target-options.js";
import { reportTransfer, sumCounts, type TransferSum } from "../archive/transfer-report.js";

interface ImportOptions extends TargetOptions {
  overwrite?: boolean;
  history: boolean;
  json?: boolean;
}

export function addImport(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "import <from>",
    "Restore an export: a folder, a JSONL file, or JSONL from the standard input (-). It goes into the memory that you name; without a name, " +
      "each memory goes to where it came from. It checks everything before it writes, and deletes nothing. " +
      "If it is interrupted, run it again: it skips files that are already equal.",
    [
      "import ./backup",
      "import ./backup --node assistant --user ada@example.com",
      "import memory.jsonl --dir ./memory --overwrite",
      `gunzip -c memories.jsonl.gz | ${programName} import -`,
    ],
  )
    .option("--overwrite", "replace files that exist with other contents")
    .option("--no-history", "import the files without the versions of the export");
  addActorOption(addTargetOptions(command)).action(async (from: string, options: ImportOptions) => {
    const counts = await withArchive(from, context, (trees) =>
      importAll(options.history ? trees : trees.map(withoutHistory), from, options, context),
    );
    await reportTransfer("imported", counts, options.json === true, context);
  });
}

async function withArchive<T>(from: string, { io }: CliContext, run: (trees: Tree[]) => Promise<T>): Promise<T> {
  if (from === "-") return withJsonlInput(io.stdin, run);
  const found = await withFile(from, "read", () => stat(from));
  if (found.isDirectory()) return run(await readFolderArchive(from));
  if (found.isFile()) return withJsonlFile(from, run);
  throw inputFault(
    `${from}: it is neither a file nor a folder; name one that export has made, or - for the standard input`,
  );
}

function withoutHistory(tree: Tree): Tree {
  return { ...tree, history: null };
}

async function importAll(
  trees: Tree[],
  from: string,
  options: ImportOptions,
  context: CliContext,
): Promise<TransferSum> {
  const carryOutAll = (plans: TransferPlan[]): Promise<TransferSum> =>
    withProgress(context, async (progress) => {
      progress.start(
        plans.reduce((sum, { writes }) => sum + writes.length, 0),
        "files",
      );
      const counts = [];
      for (const plan of plans) counts.push(await carryOut(plan, () => progress.step()));
      return sumCounts(counts);
    });
  const overwrite = options.overwrite === true;
  if (options.node !== undefined || options.dir !== undefined) {
    const [tree, ...others] = trees;
    if (tree === undefined || others.length > 0) {
      throw usageFault(
        `${from} holds ${trees.length} memories; leave --node and --dir out, and each goes to where it came from`,
      );
    }
    return withTarget(targetOf(options, context.io.env), "restore", async (open) =>
      carryOutAll([await planTransfer(tree, open, overwrite)]),
    );
  }
  refuseFlags(options, ["thread", "user"], "needs --node; leave both out, and each memory goes to where it came from");
  return withDatabase(databaseOf(options, context.io.env), async (database) => {
    const plans: TransferPlan[] = [];
    for (const tree of trees) {
      if (tree.address === null)
        throw usageFault(
          `${from} holds a memory that was kept in a folder; pass --node, or --dir, for where it shall go`,
        );
      plans.push(
        await planTransfer(
          tree,
          memoryIn(database, tree.address, { access: "restore", paths: options.paths ?? "posix", as: options.as }),
          overwrite,
        ),
      );
    }
    return carryOutAll(plans);
  });
}
