import type { Command } from "commander";
import type { MemoryScope } from "../../core/address.js";
import type { MemorySummary } from "../../mongodb/admin/memory-database.js";
import { checkForgotten } from "../../mongodb/admin/selections.js";
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
    "Erase a memory for good, or all memories of a user or a thread in all nodes. It shows what would go, and asks. It can be run again.",
    ["forget --user ada@example.com --dry-run", "forget --node assistant --thread conversation-7", "forget --user ada@example.com --yes --json"],
  )
    .option("--yes", "do not ask; needed where there is no terminal")
    .option("--dry-run", "only show what would go");
  addOwnerOptions(addDatabaseOptions(command)).action((options: ForgetOptions) => forget(options, context));
}

async function forget(options: ForgetOptions, context: CliContext): Promise<void> {
  const { yes = false, dryRun = false, json = false } = options;
  const { out, err } = context;
  const range = selectedBy(options, (ids) => checkForgotten({ ...ids, ...scopeOf(options) }));
  if (!yes && !dryRun && !canAsk(context)) {
    throw usageFault("forget asks before it erases, and there is no terminal to ask on; pass --yes, or --dry-run to see what would go");
  }
  await withDatabase(databaseOf(options, context.io.env), (database) =>
    about(`the collection ${database.collectionName}`, async () => {
      const found: MemorySummary[] = [];
      for await (const summary of database.summaries([range])) found.push(summary);
      if (dryRun) {
        if (json) return out.json({ ok: true, dryRun, ...countsOf(found), addresses: found.map(({ address }) => address) });
        await printMemories(found, out);
        return out.line(`to erase: ${countsText(countsOf(found))}`);
      }
      if (!yes && found.length > 0) {
        await printMemories(found, err);
        if (!(await isConfirmed(`Erase ${countsText(countsOf(found))} and their history for good?`, context))) {
          context.exitCode = exitCodes.refused;
          return err.line("nothing was erased");
        }
      }
      // Where none is found, the histories of others may name the user or the thread all the same. Or the name of the database is mistyped.
      const counts = (await database.hasCollections()) ? await database.forget(range) : { ...countsOf(found), versions: 0 };
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
}

function countsOf(found: readonly MemorySummary[]): Counts {
  return { memories: found.length, files: found.reduce((sum, { files }) => sum + files, 0) };
}

function countsText({ memories, files, versions = 0 }: Counts): string {
  const withVersions = versions === 0 ? "" : ` and ${countText(versions, "version")}`;
  return `${countText(memories, "memory")} with ${countText(files, "file")}${withVersions}`;
}

async function printMemories(found: readonly MemorySummary[], output: Output): Promise<void> {
  for (const summary of found.slice(0, maxShown)) await output.line(summaryLine(summary, output));
  if (found.length > maxShown) await output.line(`and ${found.length - maxShown} more`);
}
