import { Option } from "commander";
import { shorten } from "../../../core/values/text.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import type {
  Migration,
  MigrationProgress,
  MigrationSummary,
  RefusedItem,
} from "../../../mongodb/migrate/migrate-from-mongodb-store.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { CommandError, exitCodes, toCommandError, usageError } from "../../errors.js";
import { withDatabase } from "../../targets/open-target.js";
import { type SourceOptions, withSourceCollection } from "../../targets/source-collection.js";
import {
  collectionNameOption,
  databaseNameOption,
  databaseOptions,
  getDatabaseTarget,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";

interface MigrationOptions extends TargetOptions, SourceOptions {
  itemsCollection?: string;
  textSearch: boolean;
  resumeAfter?: string | null;
  dryRun?: boolean;
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
    const summary = await withSourceCollection(input, to, " of the MongoDBStore", (source, name) =>
      withDatabase(to, (destination) => migrateItems(source, name, destination, input)),
    );
    return reportMigration(summary, input, context);
  },
});

async function migrateItems(
  source: Migration["source"],
  name: string,
  to: MemoryDatabase,
  { itemsCollection, resumeAfter = null, textSearch, dryRun = false }: MigrationOptions,
): Promise<MigrationSummary> {
  const { MongoMemoryStore } = await import("../../../mongodb/store/mongo-memory-store.js");
  const { migrateFromMongoDBStore } = await import("../../../mongodb/migrate/migrate-from-mongodb-store.js");
  const store = new MongoMemoryStore({
    client: to.client,
    dbName: to.db.databaseName,
    memoriesCollection: to.collectionName,
    ...pickDefined({ itemsCollection }),
    ...(!textSearch && { textSearch }),
  });
  let last = resumeAfter;
  const onProgress = ({ resumeAfter: done }: MigrationProgress): void => {
    last = done;
  };
  try {
    return await migrateFromMongoDBStore({ source, store, dryRun, resumeAfter, onProgress });
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`--resume-after: ${error.message}`, error);
    const { code, message } = toCommandError(error);
    const advice = last === null ? "run it again" : `run it again, or with --resume-after '${last}'`;
    throw new CommandError(code, `${name}: ${message}; ${advice}`, { cause: error });
  }
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
