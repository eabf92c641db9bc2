import type { Command } from "commander";
import type { CheckedAddress } from "../../core/values/address.js";
import type { MemoryFacts } from "../../mongodb/admin/memory-database.js";
import { carryOut, planTransfer, type TransferCounts } from "../archive/transfer.js";
import { readTree, readTreeWithHistory, type Tree, withTree } from "../archive/tree.js";
import { newCommand } from "../command.js";
import { about, usageFault } from "../fault.js";
import type { CliContext } from "../context.js";
import { checkedAddressOf, memoryIn, withDatabase, withMemory, withTarget } from "../targets/open-target.js";
import { assertThere } from "../targets/missing-memory.js";
import { nameOf } from "../targets/memory-name.js";
import { countText } from "../terminal/format.js";
import { withProgress } from "../terminal/progress.js";
import {
  addActorOption,
  addDestinationOptions,
  addTargetOptions,
  databaseOf,
  destinationDatabaseOf,
  destinationOf,
  type DestinationOptions,
  memoryFlags,
  optionalAddress,
  refuseFlags,
  type TargetOptions,
} from "../targets/target-options.js";
import { reportTransfer, sumCounts, type TransferSum } from "../archive/transfer-report.js";

interface CopyOptions extends TargetOptions, DestinationOptions {
  all?: boolean;
  overwrite?: boolean;
  history?: boolean;
  move?: boolean;
  json?: boolean;
}

export function addCopy(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "copy",
    "Copy a memory to another place, or all memories of a database to another database. Without --move it deletes nothing, and it checks everything " +
      "before it writes. If it is interrupted, run it again: it skips files that are already equal.",
    [
      "copy --node assistant --to-user ada@example.com",
      "copy --dir ./memory --to-uri mongodb://localhost:27017/app --to-node assistant",
      "copy --node assistant --to-dir ./memory",
      "copy --all --to-uri mongodb://other.example:27017/app",
      "copy --all --to-layout files",
      "copy --all --to-layout files --move",
    ],
  )
    .option("--all", "all memories of the database, instead of --node")
    .option("--history", "also copy the versions of the files; the destination must not exist yet")
    .option("--overwrite", "replace files that exist with other contents");
  command.option(
    "--move",
    "to --to-layout of the same collection: in one step, with versions and proposals, while programs read and change it",
  );
  addActorOption(addDestinationOptions(addTargetOptions(command))).action(async (options: CopyOptions) => {
    if (options.move === true) return moveMemories(options, context);
    const sum = options.all === true ? await copyAll(options, context) : await copyOne(options, context);
    await reportTransfer("copied", sum, options.json === true, context);
  });
}

function copyOne(options: CopyOptions, context: CliContext): Promise<TransferSum> {
  const destination = destinationOf(options, options, context.io.env);
  // Who changes it is of the destination.
  const { as: _as, ...sourceOptions } = options;
  return withMemory(context, sourceOptions, "read", async (source) => {
    const copyTree = (tree: Tree): Promise<TransferSum> =>
      withTarget(destination, "restore", (open) =>
        withProgress(context, async (progress) => {
          const plan = await planTransfer(tree, open, options.overwrite === true);
          progress.start(plan.writes.length, "files");
          return sumCounts([await carryOut(plan, () => progress.step())]);
        }),
      );
    return withTree(() => about(source.name, () => readerFor(options)(source)), copyTree);
  });
}

/**
 * Each memory by itself; whoever uses it is told by the mark that it leaves. If it is interrupted, the rest is moved by
 * the next run.
 */
function moveMemories(options: CopyOptions, context: CliContext): Promise<void> {
  const { toLayout, all } = options;
  const { out, io } = context;
  refuseFlags(
    options,
    ["toUri", "toDb", "toCollection", "toNode", "toThread", "toUser", "toDir"],
    "does not go with --move, which changes the layout alone; leave one of the two out",
  );
  refuseFlags(
    options,
    ["history", "overwrite", "as"],
    "does not go with --move, which takes a memory along as it is; leave one of the two out",
  );
  if (toLayout === undefined)
    throw usageFault("--move needs --to-layout, which names the layout that the memories move to");
  if (all === true) refuseFlags(options, memoryFlags, "does not go with --all; leave one of the two out");
  const named = all === true ? undefined : optionalAddress(options);
  if (all !== true && named === undefined)
    throw usageFault("no memory was named; pass --node, or --all for all memories of the database");
  return withDatabase(databaseOf(options, io.env), async (database) => {
    const addresses = named === undefined ? await addressesOf(database.facts()) : [checkedAddressOf(named)];
    for (const address of named === undefined ? [] : addresses) await assertThere(database, address);
    const memories = await withProgress(context, async (progress) => {
      let moved = 0;
      progress.start(addresses.length, "memories");
      for (const address of addresses) {
        if (await about(nameOf(address), () => database.move(address, toLayout))) moved += 1;
        progress.step();
      }
      return moved;
    });
    return options.json === true
      ? out.json({ ok: true, memories })
      : out.line(`moved ${countText(memories, "memory")}`);
  });
}

/** All at once, as the list would go on with what has moved. Those of documents that are none of ours are left out. */
async function addressesOf(facts: AsyncIterable<MemoryFacts>): Promise<CheckedAddress[]> {
  const addresses: CheckedAddress[] = [];
  for await (const { address } of facts) if (address !== null) addresses.push(address);
  return addresses;
}

function readerFor({ history }: CopyOptions): typeof readTree {
  return history === true ? readTreeWithHistory : readTree;
}

/**
 * Looks at every memory before it changes the first, and again as it copies it: so many may not fit into memory at
 * once.
 */
function copyAll(options: CopyOptions, context: CliContext): Promise<TransferSum> {
  refuseFlags(options, memoryFlags, "does not go with --all; leave one of the two out");
  refuseFlags(
    options,
    ["toNode", "toThread", "toUser", "toDir"],
    "does not go with --all, as each memory keeps its address; leave one of the two out",
  );
  const { env } = context.io;
  const [from, to] = [databaseOf(options, env), destinationDatabaseOf(options, options, env)];
  if (
    from.uri === to.uri &&
    from.dbName === to.dbName &&
    from.memoriesCollection === to.memoriesCollection &&
    (from.layout ?? "document") === (to.layout ?? "document")
  ) {
    throw usageFault("source and destination are the same; pass --to-uri, --to-db, --to-collection or --to-layout");
  }
  return withDatabase(from, (source) =>
    withDatabase(to, (destination) =>
      withProgress(context, async (progress) => {
        const overwrite = options.overwrite === true;
        const eachPlan = async (
          use: (plan: Awaited<ReturnType<typeof planTransfer>>) => Promise<void>,
        ): Promise<void> => {
          for await (const address of source.addresses()) {
            const here = memoryIn(source, address, { access: "read", paths: "posix" });
            const open = memoryIn(destination, address, {
              access: "restore",
              paths: options.paths ?? "posix",
              as: options.as,
            });
            await withTree(
              () => readerFor(options)(here),
              async (tree) => use(await planTransfer(tree, open, overwrite)),
            );
          }
        };
        let total = 0;
        await eachPlan(async ({ writes }) => void (total += writes.length));
        progress.start(total, "files");
        const counts: TransferCounts[] = [];
        await eachPlan(async (plan) => void counts.push(await carryOut(plan, () => progress.step())));
        return sumCounts(counts);
      }),
    ),
  );
}
