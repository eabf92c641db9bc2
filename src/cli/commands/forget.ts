import type { Command } from "commander";
import type { MemoryScope } from "../../core/values/address.js";
import type { MemorySummary } from "../../mongodb/admin/memory-database.js";
import { checkForgotten } from "../../mongodb/admin/checks.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { exitCodes } from "../exit-codes.js";
import { about, usageFault } from "../fault.js";
import { withDatabase } from "../targets/open-target.js";
import { addOwnerOptions, type OwnerOptions, selectedBy } from "../targets/owner-options.js";
import { addDatabaseOptions, databaseOf, type TargetOptions } from "../targets/target-options.js";
import { canAsk, isConfirmed } from "../terminal/confirm.js";
import { countText } from "../terminal/format.js";
import type { Output } from "../terminal/output.js";
import { visibleJson } from "../terminal/visible.js";
import { summaryLine } from "./memories.js";

interface ForgetOptions extends TargetOptions, OwnerOptions {
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const maxShown = 20;

export function addForget(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "forget",
    "Erase a memory for good, or all memories of a user or a thread in all nodes. It shows what it would erase, and asks. You can run it again.",
    [
      "forget --user ada@example.com --dry-run",
      "forget --node assistant --thread conversation-7",
      "forget --user ada@example.com --yes --json",
    ],
  )
    .option("--yes", "do not ask; needed without a terminal")
    .option("--dry-run", "only show what it would erase");
  addOwnerOptions(addDatabaseOptions(command)).action((options: ForgetOptions) => forget(options, context));
}

async function forget(options: ForgetOptions, context: CliContext): Promise<void> {
  const { yes = false, dryRun = false, json = false } = options;
  const { out, err } = context;
  const range = selectedBy(options, (ids) => checkForgotten({ ...ids, ...scopeOf(options) }));
  if (!yes && !dryRun && !canAsk(context)) {
    throw usageFault(
      "forget asks before it erases, and there is no terminal to ask on; pass --yes, or --dry-run to see what would go",
    );
  }
  await withDatabase(databaseOf(options, context.io.env), (database) =>
    about(`the collection ${database.collectionName}`, async () => {
      const found = database.summaries([range]);
      if (dryRun) {
        if (json) return printAddresses(found, out);
        return out.line(`to erase: ${countsText(await printMemories(found, out))}`);
      }
      const counted = yes ? await anyOf(found) : await printMemories(found, err);
      if (
        !yes &&
        counted.memories > 0 &&
        !(await isConfirmed(`Erase ${countsText(counted)} and all that is kept of them for good?`, context))
      ) {
        context.exitCode = exitCodes.refused;
        return err.line("nothing was erased");
      }
      // Where none is found, the histories of others may name the user or the thread all the same. Or the name of the
      // database is mistyped.
      const counts =
        counted.memories > 0 || (await database.hasCollections())
          ? await database.forget(range)
          : { ...counted, versions: 0, proposals: 0 };
      return json ? out.json({ ok: true, dryRun, ...counts }) : out.line(`erased ${countsText(counts)}`);
    }),
  );
}

/** An address says its scope; a thread or a user alone is meant in all nodes. */
function scopeOf({ node, thread, user }: OwnerOptions): { scope?: MemoryScope } {
  if (node === undefined) return {};
  return thread !== undefined ? { scope: "perThread" } : user !== undefined ? { scope: "perUser" } : {};
}

interface Counts {
  memories: number;
  files: number;
  versions?: number;
  proposals?: number;
}

async function anyOf(found: AsyncIterable<MemorySummary>): Promise<Counts> {
  for await (const { files } of found) return { memories: 1, files };
  return { memories: 0, files: 0 };
}

function countsText({ memories, files, versions = 0, proposals = 0 }: Counts): string {
  const parts = [countText(files, "file")];
  if (versions > 0) parts.push(countText(versions, "version"));
  if (proposals > 0) parts.push(countText(proposals, "proposal"));
  const last = parts.pop() ?? "";
  return `${countText(memories, "memory")} with ${parts.length === 0 ? last : `${parts.join(", ")} and ${last}`}`;
}

/** The first of them, and how many there are. Holds none. */
async function printMemories(found: AsyncIterable<MemorySummary>, output: Output): Promise<Counts> {
  const counts = { memories: 0, files: 0 };
  for await (const summary of found) {
    counts.memories += 1;
    counts.files += summary.files;
    if (counts.memories <= maxShown) await output.line(summaryLine(summary, output));
  }
  if (counts.memories > maxShown) await output.line(`and ${counts.memories - maxShown} more`);
  return counts;
}

/** One object, written piece by piece, as there may be any number of addresses. */
async function printAddresses(found: AsyncIterable<MemorySummary>, output: Output): Promise<void> {
  const counts = { memories: 0, files: 0 };
  await output.write('{"ok":true,"dryRun":true,"addresses":[');
  for await (const { address, files } of found) {
    await output.write(`${counts.memories === 0 ? "" : ","}${visibleJson(JSON.stringify(address))}`);
    counts.memories += 1;
    counts.files += files;
  }
  await output.line(`],"memories":${counts.memories},"files":${counts.files}}`);
}
