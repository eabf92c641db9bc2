import { type Command, Option } from "commander";
import { memoryScopes } from "../../core/values/address.js";
import type { MemorySummary } from "../../mongodb/admin/memory-database.js";
import { checkMemoryFilter } from "../../mongodb/admin/checks.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { exitCodes } from "../exit-codes.js";
import { about } from "../fault.js";
import { nameOf } from "../targets/memory-name.js";
import { withDatabase } from "../targets/open-target.js";
import { addOwnerOptions, type OwnerOptions, selectedBy } from "../targets/owner-options.js";
import { addDatabaseOptions, databaseOf, type TargetOptions } from "../targets/target-options.js";
import { bytesText, countText } from "../terminal/format.js";
import type { Output } from "../terminal/output.js";

interface MemoriesOptions extends TargetOptions, OwnerOptions {
  scope?: string;
  json?: boolean;
}

export function addMemories(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "memories",
    "List the memories of a database: bytes, files, time of the last change, and address. Without options it lists all.",
    ["memories --user ada@example.com", "memories --node assistant --scope perThread --json"],
  ).addOption(new Option("--scope <scope>", "only memories of this scope").choices(memoryScopes));
  addOwnerOptions(addDatabaseOptions(command)).action(async (options: MemoriesOptions) => {
    const { scope } = options;
    const ranges = selectedBy(options, (ids) => checkMemoryFilter({ ...ids, ...(scope !== undefined && { scope }) }));
    await withDatabase(databaseOf(options, context.io.env), (database) =>
      about(`the collection ${database.collectionName}`, async () => {
        let isEmpty = true;
        for await (const summary of database.summaries(ranges)) {
          isEmpty = false;
          await (options.json ? context.out.json(summary) : context.out.line(summaryLine(summary, context.out)));
        }
        if (!isEmpty) return;
        await context.err.line("no memory was found");
        context.exitCode = exitCodes.refused;
      }),
    );
  });
}

export function summaryLine({ address, sizeBytes, files, updatedAt }: MemorySummary, output: Output): string {
  return `${bytesText(sizeBytes).padStart(12)}  ${countText(files, "file").padStart(11)}  ${updatedAt.toISOString()}  ${output.foreign(nameOf(address))}`;
}
