import { Option } from "commander";
import { planTransfer } from "../../archive/plan-transfer.js";
import {
  reportTransfer,
  runEachTransfer,
  runTransfers,
  type TransferCounts,
  type TransferPlan,
} from "../../archive/transfer-plan.js";
import { readTree, readTreeWithHistory, withTree } from "../../archive/tree.js";
import { createCommand } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, usageError } from "../../errors.js";
import { openMemoryIn, transferSettings, withDatabase, withMemory, withTarget } from "../../targets/open-target.js";
import {
  actorOption,
  destinationOptions,
  type DestinationOptions,
  memoryFlags,
  refuseOptions,
  targetOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import {
  type DatabaseTarget,
  getDatabaseTarget,
  getDestination,
  getDestinationDatabase,
} from "../../targets/targets.js";

interface CopyOptions extends TargetOptions, DestinationOptions {
  all?: boolean;
  overwrite?: boolean;
  history?: boolean;
}

export const copy = createCommand<CopyOptions>({
  usage: "copy",
  description:
    "Copy a memory to another place, or all memories of a database to another database. It deletes nothing, " +
    "and it checks everything before it writes. If it is interrupted, run it again: it skips files that are " +
    "already equal.",
  examples: [
    "copy --node assistant --to-user ada@example.com",
    "copy --dir ./memory --to-node assistant",
    "copy --node assistant --to-dir ./memory",
    "copy --all --to-uri mongodb://other.example:27017/app",
  ],
  options: [
    new Option("--all", "all memories of the database, instead of --node"),
    new Option("--history", "also copy the versions of the files; the destination must not exist yet"),
    new Option("--overwrite", "replace files that exist with other contents"),
    ...targetOptions,
    ...destinationOptions,
    actorOption,
  ],
  run: async (input, context) =>
    reportTransfer("copied", await (input.all === true ? copyAll(input, context) : copyOne(input, context))),
});

function copyOne(input: CopyOptions, context: CliContext): Promise<TransferCounts[]> {
  const { overwrite = false, history, as: _as, ...sourceOptions } = input;
  const destination = getDestination(input, input, context.io.env);
  const read = history === true ? readTreeWithHistory : readTree;
  return withMemory(context, sourceOptions, { access: "read" }, async (source) =>
    withTree(await about(source.name, () => read(source)), (tree) =>
      withTarget(destination, transferSettings, async (open) =>
        runTransfers([await planTransfer(tree, open, overwrite)], context),
      ),
    ),
  );
}

function copyAll(input: CopyOptions, context: CliContext): Promise<TransferCounts[]> {
  const { overwrite = false, history, paths = "posix", as } = input;
  refuseOptions(input, memoryFlags, "does not go with --all; leave one of the two out");
  refuseOptions(
    input,
    ["toNode", "toThread", "toUser", "toDir"],
    "does not go with --all, as each memory keeps its address; leave one of the two out",
  );
  const { env } = context.io;
  const [from, to] = [getDatabaseTarget(input, env), getDestinationDatabase(input, input, env)];
  if (isSame(from, to))
    throw usageError("source and destination are the same; pass --to-uri, --to-db or --to-collection");
  const read = history === true ? readTreeWithHistory : readTree;
  return withDatabase(from, (source) =>
    withDatabase(to, async (destination) => {
      const planEach = async (run: (plan: TransferPlan) => Promise<void>): Promise<void> => {
        for await (const address of source.addresses()) {
          const tree = await read(openMemoryIn(source, address, { access: "read", paths: "posix" }));
          const open = openMemoryIn(destination, address, { ...transferSettings, paths, as });
          await withTree(tree, async () => run(await planTransfer(tree, open, overwrite)));
        }
      };
      return runEachTransfer(planEach, context);
    }),
  );
}

function isSame(from: DatabaseTarget, to: DatabaseTarget): boolean {
  const getKey = ({ uri, dbName, memoriesCollection }: DatabaseTarget): string =>
    JSON.stringify([uri, dbName, memoriesCollection]);
  return getKey(from) === getKey(to);
}
