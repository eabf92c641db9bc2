import type { Command } from "commander";
import type { CheckedAddress } from "../../core/values/address.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import { countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { checkedAddressOf, withDatabase } from "../targets/open-target.js";
import { assertThere } from "../targets/missing-memory.js";
import { nameOf } from "../targets/memory-name.js";
import { withProgress } from "../terminal/progress.js";
import { addDatabaseOptions, databaseOf, optionalAddress, type TargetOptions } from "../targets/target-options.js";
import { addMongodbStoreMigration } from "./migrate-mongodb-store.js";

interface EarlierFormatOptions extends TargetOptions {
  dryRun?: boolean;
  json?: boolean;
}

export function addMigrate(program: Command, context: CliContext): void {
  const migrate = program
    .command("migrate")
    .description("Bring in data of the earlier system, or of the official MongoDBStore.");
  addEarlierFormat(migrate, context);
  addMongodbStoreMigration(migrate, context);
}

function addEarlierFormat(migrate: Command, context: CliContext): void {
  const command = newCommand(
    migrate,
    "earlier-format",
    "Rewrite documents of the earlier system, with nested data, in today's layout. Their first change does the same. You can run it again.",
    ["migrate earlier-format --dry-run", "migrate earlier-format --node assistant"],
  )
    .option("--node <id>", "only the memory of this node (default: all)")
    .option("--thread <id>", "only the memory of this thread of the node")
    .option("--user <id>", "only the memory of this user of the node")
    .option("--dry-run", "only say what it would do");
  addDatabaseOptions(command).action(async (options: EarlierFormatOptions) => {
    const named = optionalAddress(options);
    const only = named && checkedAddressOf(named);
    const dryRun = options.dryRun === true;
    const rewritten = await withDatabase(databaseOf(options, context.io.env), async (database) => {
      if (only !== undefined) await assertThere(database, only);
      const earlier: CheckedAddress[] = [];
      await about("the database", async () => {
        for await (const { address, outdated } of database.facts(only))
          if (outdated && address !== null) earlier.push(address);
      });
      if (dryRun) return earlier;
      return withProgress(context, async (progress) => {
        progress.start(earlier.length, "memories");
        const done: CheckedAddress[] = [];
        for (const address of earlier) {
          if (await about(nameOf(address), () => database.upgrade(address))) done.push(address);
          progress.step();
        }
        return done;
      });
    });
    if (options.json) await context.out.json({ ok: true, dryRun, rewritten: rewritten.length, addresses: rewritten });
    else await context.out.line(`${dryRun ? "to rewrite" : "rewrote"}: ${countText(rewritten.length, "memory")}`);
  });
}
