import { about, CommandError } from "../errors.js";
import { withDatabase } from "./open-target.js";
import { type DatabaseTarget, getDatabaseName } from "./target-options.js";

/** The options that name a collection of another program. */
export interface SourceOptions {
  fromUri?: string;
  fromDb?: string;
  fromCollection?: string;
}

/**
 * Opens a collection of another program.
 * @param to the database of the memories, which the source is in by default
 * @throws CommandError ENOENT if there is no such collection
 */
export function withSourceCollection<T>(
  { fromUri, fromDb, fromCollection = "" }: SourceOptions,
  to: DatabaseTarget,
  run: (collection: object, name: string) => Promise<T>,
): Promise<T> {
  const dbName = fromDb ?? getDatabaseName(fromUri) ?? to.dbName;
  return withDatabase({ ...to, uri: fromUri ?? to.uri, dbName }, async ({ db }) => {
    const { hasCollection } = await import("../../mongodb/admin/database-inspection.js");
    const name = `collection ${fromCollection} of the database ${db.databaseName}`;
    if (await about("the source", () => hasCollection(db, fromCollection)))
      return run(db.collection(fromCollection), `the ${name}`);
    throw new CommandError("ENOENT", `there is no ${name}; pass --from-db and --from-collection`);
  });
}
