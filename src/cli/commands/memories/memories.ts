import { Option } from "commander";
import { memoryScopes, type MemoryScope } from "../../../core/values/address.js";
import { checkMemoryFilter } from "../../../mongodb/admin/checks.js";
import type { MemorySummary } from "../../../mongodb/admin/memory-database.js";
import { createCommand } from "../../command.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { asUsage } from "../../errors.js";
import { formatAddress } from "../../targets/address.js";
import { withMemories } from "../../targets/open-target.js";
import { databaseOptions, getOwner, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import { numberText, countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";

export const memories = createCommand<TargetOptions & { scope?: MemoryScope }>({
  usage: "memories",
  description:
    "List the memories of a database. Shows bytes, files, time of the last change, and address. Without options it " +
    "lists all. A pipe or a file gets no header.",
  examples: ["memories --user ada@example.com", "memories --node assistant --scope perThread --json"],
  options: [
    new Option("--scope <scope>", "only memories of this scope").choices(memoryScopes),
    ...databaseOptions,
    ...ownerOptions,
  ],
  run: async (input, context) => {
    const filter = pickDefined({ ...getOwner(input), scope: input.scope });
    const ranges = asUsage("--scope", () => checkMemoryFilter(filter));
    await withMemories(context, input, (database) =>
      printEach(context, input.json, database.summaries(ranges), formatSummary, "no memory was found", header),
    );
    return undefined;
  },
});

const header = formatColumns("bytes", "files", "changed".padEnd(24), "memory");

export function formatSummary({ address, sizeBytes, files, updatedAt }: MemorySummary, out: Output): string {
  const shownAddress = out.foreign(formatAddress(address));
  return formatColumns(numberText(sizeBytes), countText(files, "file"), updatedAt.toISOString(), shownAddress);
}

function formatColumns(size: string, files: string, time: string, address: string): string {
  return `${size.padStart(12)}  ${files.padStart(11)}  ${time}  ${address}`;
}
