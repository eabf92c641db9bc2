import type { Command } from "commander";
import { shorten } from "../../core/values/text.js";
import type { MemoryDatabase } from "../../mongodb/admin/memory-database.js";
import type {
  MigrationSummary,
  MongoDBStoreMigrationOptions,
  RefusedItem,
} from "../../mongodb/migrate/migrate-from-mongodb-store.js";
import { newCommand } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { about, CommandFault, faultOf, usageFault } from "../fault.js";
import { countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { databaseIn } from "../targets/connection-string.js";
import { withDatabase } from "../targets/open-target.js";
import { withProgress } from "../terminal/progress.js";
import {
  addDatabaseOptions,
  checkCollectionName,
  checkDatabaseName,
  databaseOf,
  type DatabaseTarget,
  type TargetOptions,
} from "../targets/target-options.js";

interface MigrationOptions extends TargetOptions {
  fromUri?: string;
  fromDb?: string;
  fromCollection: string;
  itemsCollection?: string;
  textSearch: boolean;
  resumeAfter?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** So many refused items are named on the standard error. */
const maxNamed = 20;

export function addMongodbStoreMigration(migrate: Command, context: CliContext): void {
  const command = newCommand(
    migrate,
    "mongodb-store",
    "Copy the items of the official MongoDBStore into this package's store, with their times. Files of memories go into memories. It overwrites nothing " +
      "newer, so you can run it again. Exits with 1 if items were refused.",
    [
      "migrate mongodb-store --dry-run",
      "migrate mongodb-store --from-db old --from-collection store --db app",
      `migrate mongodb-store --resume-after '{"$oid":"6563a1…"}'`,
    ],
  )
    .option("--from-uri <string>", "connection string of the source (default: that of --uri)")
    .option("--from-db <name>", "database of the source (default: that of --from-uri, else that of the destination)")
    .option("--from-collection <name>", "collection of the source", "store")
    .option("--items-collection <name>", 'collection of the items here (default: "items")')
    .option("--no-text-search", "do not index words; use it for a store with textSearch: false, or with embeddings")
    .option("--resume-after <id>", "go on after this document; an interrupted run prints it")
    .option("--dry-run", "only say what it would do");
  addDatabaseOptions(command).action(async (options: MigrationOptions) => {
    const to = databaseOf(options, context.io.env);
    const { fromUri, fromDb } = options;
    const dbName = checkDatabaseName("--from-db", fromDb ?? databaseIn(fromUri) ?? to.dbName);
    const from: DatabaseTarget = { ...to, uri: fromUri ?? to.uri, dbName };
    const summary = await withDatabase(from, (source) =>
      withDatabase(to, (destination) => migrateItems(source, destination, options, context)),
    );
    await report(summary, options, context);
  });
}

async function migrateItems(
  from: MemoryDatabase,
  to: MemoryDatabase,
  options: MigrationOptions,
  context: CliContext,
): Promise<MigrationSummary> {
  const { hasCollection } = await import("../../mongodb/admin/database-inspection.js");
  const { itemsCollection, resumeAfter, textSearch, dryRun = false } = options;
  const fromCollection = checkCollectionName("--from-collection", options.fromCollection);
  const where = `the collection ${fromCollection} of the database ${from.db.databaseName}`;
  if (!(await about("the source", () => hasCollection(from.db, fromCollection)))) {
    throw new CommandFault(
      "ENOENT",
      `there is no ${where.slice(4)}; pass --from-db and --from-collection of the MongoDBStore`,
    );
  }
  const { MongoMemoryStore } = await import("../../mongodb/store/mongo-memory-store.js");
  const { migrateFromMongoDBStore } = await import("../../mongodb/migrate/migrate-from-mongodb-store.js");
  const store = new MongoMemoryStore({
    client: to.client,
    dbName: to.db.databaseName,
    memoriesCollection: to.collectionName,
    layout: to.layoutName,
    ...(itemsCollection !== undefined && {
      itemsCollection: checkCollectionName("--items-collection", itemsCollection),
    }),
    ...(!textSearch && { textSearch }),
  });
  let last: string | null = resumeAfter ?? null;
  let started = false;
  return withProgress(context, async (progress) => {
    const migration: MongoDBStoreMigrationOptions = {
      source: from.db.collection(fromCollection),
      store,
      dryRun,
      resumeAfter: last,
      onProgress: ({ total, read, resumeAfter: done }) => {
        if (!started) progress.start(total, "items");
        started = true;
        progress.update(read);
        last = done;
      },
    };
    try {
      return await migrateFromMongoDBStore(migration);
    } catch (error) {
      if (error instanceof TypeError) throw usageFault(`--resume-after: ${error.message}`, error);
      const { code, message } = faultOf(error);
      throw new CommandFault(
        code,
        `${where}: ${message}; run it again${last === null ? "" : `, or with --resume-after '${last}'`}`,
        { cause: error },
      );
    }
  });
}

async function report(
  summary: MigrationSummary,
  { dryRun = false, json }: MigrationOptions,
  context: CliContext,
): Promise<void> {
  const { out, err } = context;
  const { refusals, ...counts } = summary;
  const { copied, unchanged, skipped, refused } = counts;
  if (json) await out.json({ ok: refused === 0, dryRun, ...counts, refusals: refusals.map(refusedJson) });
  else {
    for (const refusal of refusals.slice(0, maxNamed)) await err.line(`refused: ${err.foreign(refusedLine(refusal))}`);
    if (refused > maxNamed) await err.line(`refused: ${refused - maxNamed} more`);
    const left = `there already: ${unchanged}; skipped (expired, or directories): ${skipped}; refused: ${refused}`;
    await out.line(`${dryRun ? "to copy" : "copied"}: ${countText(copied, "item")}; ${left}`);
  }
  if (refused > 0) context.exitCode = exitCodes.refused;
}

function refusedJson({ id, namespace, key, reason }: RefusedItem): object {
  return { id, namespace, key, reason: reason.message };
}

function refusedLine({ namespace, key, reason }: RefusedItem): string {
  return `${shorten(JSON.stringify([namespace, key]), 200)}: ${reason.message}`;
}
