import { Option } from "commander";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { ForgottenCounts, MemorySummary } from "../../../mongodb/admin/memory-database.js";
import { createCommand, type Report } from "../../command.js";
import { formatSummary } from "./memories.js";
import { formatAddress } from "../../targets/address.js";
import { withMemories } from "../../targets/open-target.js";
import { databaseOptions, getNamedMemories, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import type { CliContext } from "../../context.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";

interface EraseOptions extends TargetOptions {
  yes?: boolean;
  dryRun?: boolean;
}

const eraseOptions: readonly Option[] = [
  new Option("--yes", "do not ask; needed without a terminal"),
  new Option("--dry-run", "only show what it would erase"),
  ...databaseOptions,
];

/** @throws CommandError EUSAGE */
function assertCanErase(command: string, { yes, dryRun }: EraseOptions, context: CliContext): void {
  if (yes !== true && dryRun !== true) assertCanConfirm(command, "--yes, or --dry-run to see what would go", context);
}

const maxShown = 20;

export const forget = createCommand<EraseOptions>({
  usage: "forget",
  description:
    "Erase memories for good. Erases one memory, or all memories of a user or a thread in all nodes. It shows what " +
    "it would erase, and asks. You can run it again.",
  examples: [
    "forget --user ada@example.com --dry-run",
    "forget --node assistant --thread conversation-7",
    "forget --user ada@example.com --yes --json",
  ],
  options: [...eraseOptions, ...ownerOptions],
  run: async (input, context) => {
    const { yes = false, dryRun = false } = input;
    const range = getNamedMemories(input, "what to erase");
    assertCanErase("forget", input, context);
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
      const erased: ForgottenCounts = canErase
        ? await database.forget(range)
        : { memories: 0, files: 0, versions: 0, proposals: 0 };
      return {
        json: { dryRun, ...erased },
        text: `erased ${formatCounts(erased)}\n${formatMentions(erased, context.out)}`,
      };
    });
  },
});

/** Says what still mentions the user or the thread, and which commands show it. */
function formatMentions({ mentions }: ForgottenCounts, out: Output): string {
  if (mentions === undefined) return "";
  const { memories, addresses, proposals, items } = mentions;
  if (memories + items === 0) return "no text mentions the id any more\n";
  const parts = [countText(memories, "memory"), countText(proposals, "proposal"), countText(items, "item")];
  const lines = addresses.map((address) => `  ${out.foreign(formatAddress(address))}\n`);
  return (
    `still mentioned in ${new Intl.ListFormat("en-GB").format(parts)}:\n${lines.join("")}` +
    "redact --text <id> --dry-run shows where in a memory\n"
  );
}

interface Counts {
  memories: number;
  files: number;
  versions?: number;
  proposals?: number;
}

function formatCounts({ memories, files, versions, proposals }: Counts): string {
  const parts = [countText(files, "file")];
  if (versions !== undefined) parts.push(countText(versions, "version"));
  if (proposals !== undefined) parts.push(countText(proposals, "proposal"));
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
