import { Option } from "commander";
import { shorten } from "../../../core/values/text.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import type {
  MigrationProgress,
  MigrationSummary,
  RefusedItem,
} from "../../../mongodb/migrate/migrate-from-mongodb-store.js";
import { pickDefined } from "../../collections.js";
import { createCommand, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, CommandError, exitCodes, toCommandError, usageError } from "../../errors.js";
import { withDatabase } from "../../targets/open-target.js";
import {
  collectionNameOption,
  databaseNameOption,
  databaseOptions,
  getDatabaseName,
  getDatabaseTarget,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";
import { withProgress } from "../../terminal/progress.js";

interface MigrationOptions extends TargetOptions {
  fromUri?: string;
  fromDb?: string;
  fromCollection: string;
  itemsCollection?: string;
  textSearch: boolean;
  resumeAfter?: string | null;
  dryRun?: boolean;
  json?: boolean;
}

/** The most refused items that the standard error names. */
const maxNamed = 20;

export const migrateMongodbStore = createCommand<MigrationOptions>({
  usage: "mongodb-store",
  description:
    "Copy the items of the official MongoDBStore into this package's store, with their times. Files of memories go " +
    "into memories. It overwrites nothing newer, so you can run it again. Exits with 1 if items were refused.",
  examples: [
    "migrate mongodb-store --dry-run",
    "migrate mongodb-store --from-db old --db app",
    `migrate mongodb-store --resume-after '{"$oid":"65…"}'`,
  ],
  options: [
    new Option("--from-uri <string>", "connection string of the source (default: that of --uri)"),
    databaseNameOption(
      "--from-db <name>",
      "database of the source (default: that of --from-uri, else that of the destination)",
    ),
    collectionNameOption("--from-collection <name>", "collection of the source").default("store"),
    collectionNameOption("--items-collection <name>", 'collection of the items here (default: "items")'),
    new Option("--no-text-search", "do not index words; use it for a store with textSearch: false, or with embeddings"),
    new Option("--resume-after <id>", "go on after this document; an interrupted run prints it"),
    new Option("--dry-run", "only say what it would do"),
    ...databaseOptions,
  ],
  run: async (input, context) => {
    const to = getDatabaseTarget(input, context.io.env);
    const { fromUri, fromDb } = input;
    const dbName = fromDb ?? getDatabaseName(fromUri) ?? to.dbName;
    const from = { ...to, uri: fromUri ?? to.uri, dbName };
    const summary = await withDatabase(from, (source) =>
      withDatabase(to, (destination) => migrateItems(source, destination, input, context)),
    );
    return reportMigration(summary, input, context);
  },
});

async function migrateItems(
  from: MemoryDatabase,
  to: MemoryDatabase,
  { fromCollection, itemsCollection, resumeAfter = null, textSearch, dryRun = false }: MigrationOptions,
  { err }: CliContext,
): Promise<MigrationSummary> {
  const { hasCollection } = await import("../../../mongodb/admin/database-inspection.js");
  const { MongoMemoryStore } = await import("../../../mongodb/store/mongo-memory-store.js");
  const { migrateFromMongoDBStore } = await import("../../../mongodb/migrate/migrate-from-mongodb-store.js");
  const where = `collection ${fromCollection} of the database ${from.db.databaseName}`;
  if (!(await about("the source", () => hasCollection(from.db, fromCollection))))
    throw new CommandError("ENOENT", `there is no ${where}; pass --from-db and --from-collection of the MongoDBStore`);
  const store = new MongoMemoryStore({
    client: to.client,
    dbName: to.db.databaseName,
    memoriesCollection: to.collectionName,
    ...pickDefined({ itemsCollection }),
    ...(!textSearch && { textSearch }),
  });
  let last = resumeAfter;
  return withProgress(err, "items", async (progress) => {
    const onProgress = ({ total, read, resumeAfter: done }: MigrationProgress): void => {
      progress.total = total;
      progress.update(read);
      last = done;
    };
    try {
      const source = from.db.collection(fromCollection);
      return await migrateFromMongoDBStore({ source, store, dryRun, resumeAfter, onProgress });
    } catch (error) {
      if (error instanceof TypeError) throw usageError(`--resume-after: ${error.message}`, error);
      const { code, message } = toCommandError(error);
      const advice = last === null ? "run it again" : `run it again, or with --resume-after '${last}'`;
      throw new CommandError(code, `the ${where}: ${message}; ${advice}`, { cause: error });
    }
  });
}

async function reportMigration(
  { refusals, ...counts }: MigrationSummary,
  { dryRun = false, json }: MigrationOptions,
  context: CliContext,
): Promise<Report> {
  const { err } = context;
  const { copied, unchanged, skipped, refused } = counts;
  if (refused > 0) context.exitCode = exitCodes.refused;
  if (!json) {
    for (const item of refusals.slice(0, maxNamed)) await err.line(`refused: ${err.foreign(formatItem(item))}`);
    if (refused > maxNamed) await err.line(`refused: ${refused - maxNamed} more`);
  }
  const left = `there already: ${unchanged}; skipped (expired, or directories): ${skipped}; refused: ${refused}`;
  const items = refusals.map(({ reason, ...item }) => ({ ...item, reason: reason.message }));
  return {
    json: { ok: refused === 0, dryRun, ...counts, refusals: items },
    text: `${dryRun ? "to copy" : "copied"}: ${countText(copied, "item")}; ${left}\n`,
  };
}

function formatItem({ namespace, key, reason }: RefusedItem): string {
  return `${shorten(JSON.stringify([namespace, key]), 200)}: ${reason.message}`;
}
