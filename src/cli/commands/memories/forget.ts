import { Option } from "commander";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import { checkForgotten } from "../../../mongodb/admin/checks.js";
import type { MemorySummary } from "../../../mongodb/admin/memory-database.js";
import { createCommand, type Report } from "../../command.js";
import { asUsage } from "../../errors.js";
import { withMemories } from "../../targets/open-target.js";
import { databaseOptions, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";
import { formatSummary, getOwner } from "./memories.js";

interface ForgetOptions extends TargetOptions {
  yes?: boolean;
  dryRun?: boolean;
}

const maxShown = 20;

export const forget = createCommand<ForgetOptions>({
  usage: "forget",
  description:
    "Erase a memory for good, or all memories of a user or a thread in all nodes. It shows what it would erase, and " +
    "asks. You can run it again.",
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
    const { yes = false, dryRun = false } = input;
    const who = { ...getOwner(input), ...getScope(input) };
    const range = asUsage("--node, --thread or --user", () => checkForgotten(who));
    if (!yes && !dryRun) assertCanConfirm("forget", "--yes, or --dry-run to see what would go", context);
    return withMemories(context, input, async (database): Promise<Report | undefined> => {
      if (!yes) {
        const output = dryRun ? context.out : context.err;
        const { addresses, files, lines } = await listMemories(database.summaries([range]), output);
        const counts = { memories: addresses.length, files };
        if (dryRun)
          return { json: { dryRun, addresses, ...counts }, text: `${lines}to erase: ${formatCounts(counts)}\n` };
        await context.err.write(lines);
        const question = `Erase ${formatCounts(counts)} and all that is kept of them for good?`;
        if (counts.memories > 0 && !(await confirm(question, "erased", context))) return undefined;
      }
      // Even if no memory was found, histories of other memories may name the user or the thread. If there is no
      // collection, the name of the database may be mistyped.
      const canErase = await database.hasCollections();
      const erased = canErase ? await database.forget(range) : { memories: 0, files: 0, versions: 0, proposals: 0 };
      return { json: { dryRun, ...erased }, text: `erased ${formatCounts(erased)}\n` };
    });
  },
});

/** Returns the scope if the options name a node. A thread or a user alone means all nodes. */
function getScope({ node, thread, user }: TargetOptions): { scope?: MemoryScope } {
  if (node === undefined) return {};
  if (thread !== undefined) return { scope: "perThread" };
  return user !== undefined ? { scope: "perUser" } : {};
}

interface Counts {
  memories: number;
  files: number;
  versions?: number;
  proposals?: number;
}

function formatCounts({ memories, files, versions = 0, proposals = 0 }: Counts): string {
  const parts = [countText(files, "file")];
  if (versions > 0) parts.push(countText(versions, "version"));
  if (proposals > 0) parts.push(countText(proposals, "proposal"));
  return `${countText(memories, "memory")} with ${new Intl.ListFormat("en-GB").format(parts)}`;
}

/** Returns all addresses, and the lines of the first memories. */
async function listMemories(
  summaries: AsyncIterable<MemorySummary>,
  output: Output,
): Promise<{ addresses: CheckedAddress[]; files: number; lines: string }> {
  const addresses: CheckedAddress[] = [];
  let [files, lines] = [0, ""];
  for await (const summary of summaries) {
    addresses.push(summary.address);
    files += summary.files;
    if (addresses.length <= maxShown) lines += `${formatSummary(summary, output)}\n`;
  }
  if (addresses.length > maxShown) lines += `and ${addresses.length - maxShown} more\n`;
  return { addresses, files, lines };
}
