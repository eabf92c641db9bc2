import { Option } from "commander";
import type { MemoryScope } from "../../../core/values/address.js";
import { checkForgotten } from "../../../mongodb/admin/checks.js";
import type { MemorySummary } from "../../../mongodb/admin/memory-database.js";
import { createCommand, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, asUsage, usageError } from "../../errors.js";
import { exitCodes } from "../../exit-codes.js";
import { withDatabase } from "../../targets/open-target.js";
import { databaseOptions, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget } from "../../targets/targets.js";
import { canConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";
import { visibleJson } from "../../terminal/visible.js";
import { formatSummary, getOwner } from "./memories.js";

interface ForgetOptions extends TargetOptions {
  yes?: boolean;
  dryRun?: boolean;
}

const maxShown = 20;

export const forget = createCommand<ForgetOptions>({
  usage: "forget",
  description:
    "Erase a memory for good, or all memories of a user or a thread in all nodes. It shows what it would erase, and asks. You can run it again.",
  examples: [
    "forget --user ada@example.com --dry-run",
    "forget --node assistant --thread conversation-7",
    "forget --user ada@example.com --yes --json",
  ],
  options: [
    new Option("--yes", "do not ask; needed without a terminal"),
    new Option("--dry-run", "only show what it would erase"),
    ...databaseOptions,
    ...ownerOptions,
  ],
  run: async (input, context) => {
    const { yes = false, dryRun = false, json = false } = input;
    const who = { ...getOwner(input), ...getScope(input) };
    const range = asUsage("--node, --thread or --user", () => checkForgotten(who));
    if (!yes && !dryRun && !canConfirm(context))
      throw usageError(
        "forget asks before it erases, and there is no terminal to ask on; pass --yes, or --dry-run to see what would go",
      );
    return withDatabase(getDatabaseTarget(input, context.io.env), (database) =>
      about(`the collection ${database.collectionName}`, async (): Promise<Report | undefined> => {
        const summaries = database.summaries([range]);
        if (dryRun) return showMemories(summaries, json, context.out);
        const counts = yes ? await countFirst(summaries) : await printMemories(summaries, context.err);
        if (!yes && counts.memories > 0 && !(await confirmErasing(counts, context))) return undefined;
        // Even if no memory was found, histories of other memories may name the user or the thread. If there is no
        // collection, the name of the database may be mistyped.
        const canErase = counts.memories > 0 || (await database.hasCollections());
        const erased = canErase ? await database.forget(range) : { ...counts, versions: 0, proposals: 0 };
        return { json: { dryRun, ...erased }, text: `erased ${formatCounts(erased)}\n` };
      }),
    );
  },
});

/** Returns the scope if the options name a node. A thread or a user alone means all nodes. */
function getScope({ node, thread, user }: TargetOptions): { scope?: MemoryScope } {
  if (node === undefined) return {};
  if (thread !== undefined) return { scope: "perThread" };
  return user !== undefined ? { scope: "perUser" } : {};
}

async function confirmErasing(counts: Counts, context: CliContext): Promise<boolean> {
  const question = `Erase ${formatCounts(counts)} and all that is kept of them for good?`;
  if (await confirm(question, context)) return true;
  context.exitCode = exitCodes.refused;
  await context.err.line("nothing was erased");
  return false;
}

interface Counts {
  memories: number;
  files: number;
  versions?: number;
  proposals?: number;
}

/** Counts at most one memory, because there may be too many to count. */
async function countFirst(summaries: AsyncIterable<MemorySummary>): Promise<Counts> {
  for await (const { files } of summaries) return { memories: 1, files };
  return { memories: 0, files: 0 };
}

function formatCounts({ memories, files, versions = 0, proposals = 0 }: Counts): string {
  const parts = [countText(files, "file")];
  if (versions > 0) parts.push(countText(versions, "version"));
  if (proposals > 0) parts.push(countText(proposals, "proposal"));
  return `${countText(memories, "memory")} with ${new Intl.ListFormat("en-GB").format(parts)}`;
}

async function showMemories(summaries: AsyncIterable<MemorySummary>, json: boolean, out: Output): Promise<undefined> {
  if (json) await printAddresses(summaries, out);
  else await out.line(`to erase: ${formatCounts(await printMemories(summaries, out))}`);
}

/** Prints the first memories and the number of the others. Keeps none of them in memory. */
async function printMemories(summaries: AsyncIterable<MemorySummary>, output: Output): Promise<Counts> {
  const counts = { memories: 0, files: 0 };
  for await (const summary of summaries) {
    counts.memories += 1;
    counts.files += summary.files;
    if (counts.memories <= maxShown) await output.line(formatSummary(summary, output));
  }
  if (counts.memories > maxShown) await output.line(`and ${counts.memories - maxShown} more`);
  return counts;
}

/** Prints one object piece by piece, because there may be any number of addresses. */
async function printAddresses(summaries: AsyncIterable<MemorySummary>, out: Output): Promise<void> {
  const counts = { memories: 0, files: 0 };
  await out.write('{"ok":true,"dryRun":true,"addresses":[');
  for await (const { address, files } of summaries) {
    await out.write(`${counts.memories === 0 ? "" : ","}${visibleJson(JSON.stringify(address))}`);
    counts.memories += 1;
    counts.files += files;
  }
  await out.line(`],"memories":${counts.memories},"files":${counts.files}}`);
}
