import { MemoryError } from "../../../core/values/errors.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { CollationFacts, IndexFacts, ServerFacts } from "../../../mongodb/admin/database-inspection.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import { CommandError, removeDoctorHint } from "../../errors.js";
import { redactUri } from "../../redact.js";
import { withDatabase } from "../../targets/open-target.js";
import type { DatabaseTarget } from "../../targets/targets.js";
import { type Check, fail, type Health, ok, warn } from "./health.js";
import { checkMemories } from "./memories-health.js";

/** The first release with `$setField`, which every change uses. */
const minMajorVersion = 5;

/**
 * Checks a database without changing it. A check that cannot be made counts as failed, or as a warning if the user
 * lacks the right to make it.
 * @throws CommandError EIO if the server cannot be reached
 */
export async function checkDatabase(target: DatabaseTarget, address: CheckedAddress | undefined): Promise<Health> {
  const name = redactUri(target.uri);
  const inspection = await import("../../../mongodb/admin/database-inspection.js");
  const run = async (check: string, make: () => Promise<Check[]>): Promise<Check[]> => {
    try {
      return await make();
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const message = `could not be looked at (${error.message})`;
      if (!inspection.isUnauthorized(error.cause)) return [fail(check, message)];
      const advice = "let the user list indexes and collections, as well as find, to have this looked at";
      return [warn(check, message, advice)];
    }
  };
  try {
    return await withDatabase(target, async (database) => {
      let memories = 0;
      const checks = [
        ok("connection", `${name}, database ${database.db.databaseName}`),
        await run("server version", async () => [checkVersion(await inspection.serverFacts(database))]),
        await run("indexes", async () => checkIndexes(await inspection.indexFacts(database), database)),
        await run("collations", async () => (await inspection.defaultCollations(database)).map(reportCollation)),
        await run("memories", async () => {
          const found = await checkMemories(database, address);
          memories = found.memories;
          return found.checks;
        }),
      ];
      return { target: name, checks: checks.flat(), memories };
    });
  } catch (error) {
    const reason = inspection.unsupportedServer(getRootCause(error));
    if (reason === null) throw error instanceof CommandError ? removeDoctorHint(error) : error;
    const checks = [fail("server version", reason, versionAdvice)];
    return { target: name, checks, memories: 0 };
  }
}

function getRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? getRootCause(error.cause) : error;
}

const versionAdvice = `use MongoDB ${minMajorVersion}.0 or later`;

function checkVersion({ version, topology }: ServerFacts): Check {
  const name = "server version";
  const isNew = Number.parseInt(version, 10) >= minMajorVersion;
  return isNew ? ok(name, `${version}, ${topology}`) : fail(name, `${version} is too old`, versionAdvice);
}

function checkIndexes(facts: IndexFacts[] | null, { collectionName, db }: MemoryDatabase): Check[] {
  if (facts !== null) return facts.map((index) => checkIndex(index, collectionName));
  const message = `there is no collection ${collectionName} in the database ${db.databaseName}`;
  const advice = "check --db and --collection; the first write makes it";
  return [warn("indexes", message, advice)];
}

function checkIndex({ name: index, collection, state, used }: IndexFacts, memoriesCollection: string): Check {
  const ofMemories = collection === memoriesCollection;
  const name = `index ${index}${ofMemories ? "" : ` of ${collection}`}`;
  if (state === "missing") {
    const advice = ofMemories
      ? "the first write makes it; until then two memories of one address could arise"
      : "the application makes it when it next writes there; until then what needs it reads the whole collection";
    return warn(name, "missing", advice);
  }
  if (state === "different")
    return fail(
      name,
      "there is another one of that name",
      "drop or rename it; the first write then makes the right one",
    );
  if (used === true) return ok(name, "present and used");
  const hint = ofMemories ? "see `explain` of a find by nodeId and scope; " : "";
  return fail(name, "present, but the server does not use it", `${hint}it may be hidden or being built`);
}

function reportCollation({ collection, holds, locale }: CollationFacts): Check {
  const message =
    `the collection ${collection} has the default collation ${locale}; the store compares byte by ` +
    "byte all the same";
  const advice =
    holds === "memories"
      ? 'queries by hand need collation: { locale: "simple" } to do so, too'
      : "but keys that this collation takes for one cannot both be put, and every get reads the whole collection: " +
        "move the items to a collection without one";
  return warn(`collation of ${collection}`, message, advice);
}
