import { memoryDefaults } from "../../../core/memory-options.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { IndexFacts, ServerFacts } from "../../../mongodb/admin/database-inspection.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand } from "../../command.js";
import { exitCodes } from "../../errors.js";
import { redactUri } from "../../redact.js";
import { formatAddress } from "../../targets/address.js";
import { describeMissing } from "../../targets/missing-memory.js";
import { withDatabase } from "../../targets/open-target.js";
import {
  type DatabaseTarget,
  getDatabaseTarget,
  getOptionalAddress,
  memoryOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { numberText, countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";

export const doctor = createCommand<TargetOptions>({
  usage: "doctor",
  description:
    "Check a database, and change nothing. Checks the connection, the server version, the MongoDB indexes, documents of " +
    "the earlier format, histories that are not moved, and on a standalone server the size of each memory against its " +
    "limit. Exits with 1 if a check fails.",
  examples: ["doctor", "doctor --node assistant --json"],
  options: memoryOptions,
  run: async (input, context) => {
    const health = await checkDatabase(getDatabaseTarget(input, context.io.env), getOptionalAddress(input));
    const hasFailed = health.checks.some(({ status }) => status === "fail");
    if (hasFailed) context.exitCode = exitCodes.refused;
    const lines = health.checks.map((check) => `${formatCheck(check, context.out)}\n`);
    return { json: { ok: !hasFailed, ...health }, text: lines.join("") };
  },
});

const marks = { ok: ["green", "ok  "], warn: ["yellow", "warn"], fail: ["red", "FAIL"] } as const;

function formatCheck({ name, status, message, advice }: Check, out: Output): string {
  const [colour, mark] = marks[status];
  const hint = advice === undefined ? "" : `; ${advice}`;
  return `${out.style(colour, mark)}  ${out.style("bold", name)}: ${out.foreign(message)}${hint}`;
}

interface Check {
  name: string;
  status: "ok" | "warn" | "fail";
  message: string;
  /** Set if the person should do something. */
  advice?: string;
}

interface Health {
  /** The connection string without its password. */
  target: string;
  checks: Check[];
  /** The number of memories that were checked. */
  memories: number;
}

const createCheck =
  (status: Check["status"]) =>
  (name: string, message: string, advice?: string): Check => ({ name, status, message, ...pickDefined({ advice }) });
const [ok, warn, fail] = [createCheck("ok"), createCheck("warn"), createCheck("fail")];

/** The first release with `$setField`, which every change uses. */
const minMajorVersion = 5;

/**
 * Checks a database without changing it. A check that cannot be made counts as failed, or as a warning if the user
 * lacks the right to make it.
 * @throws CommandError EIO if the server cannot be reached
 */
async function checkDatabase(target: DatabaseTarget, address: CheckedAddress | undefined): Promise<Health> {
  const name = redactUri(target.uri);
  const inspection = await import("../../../mongodb/admin/database-inspection.js");
  const run = async (check: string, make: () => Promise<Check[]>): Promise<Check[]> => {
    try {
      return await make();
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const message = `could not be looked at (${error.message})`;
      if (!inspection.isUnauthorized(error)) return [fail(check, message)];
      const advice = "let the user list indexes, as well as find, to have this looked at";
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
    if (reason === null) throw error;
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
  const advice = "check --db and --memories-collection; the first write makes it";
  return [warn("indexes", message, advice)];
}

function checkIndex({ name: index, collection, state }: IndexFacts, collectionName: string): Check {
  const ofMemories = collection === collectionName;
  const name = `index ${index}${ofMemories ? "" : ` of ${collection}`}`;
  if (state === "missing") {
    const advice = ofMemories
      ? "the first write makes it; until then one address could get two memories"
      : "the application makes it when it next writes there; until then some queries read the whole collection";
    return warn(name, "missing", advice);
  }
  if (state === "different")
    return fail(name, "another index has this name", "drop or rename it; the first write then makes the right one");
  return ok(name, "present");
}

const overdueAdvice =
  "check the rights of the application, the validator and the space of this collection: these memories refuse changes " +
  "once they are full; after that the next changes move it";

const limitBytes = memoryDefaults.maxMemoryBytes;
const nearlyFull = 0.8;
const maxExamples = 3;

/** @param address one memory, or undefined for all */
async function checkMemories(
  database: MemoryDatabase,
  address: CheckedAddress | undefined,
): Promise<Omit<Health, "target">> {
  const [full, nearly, earlier, overdue] = [new Examples(), new Examples(), new Examples(), new Examples()];
  let memories = 0;
  for await (const { address: found, sizeBytes, outdated, isHistoryOverdue } of database.facts(address)) {
    memories += 1;
    const share = sizeBytes / limitBytes;
    if (share > 1) full.add(found);
    else if (share > nearlyFull) nearly.add(found);
    if (outdated) earlier.add(found);
    if (isHistoryOverdue) overdue.add(found);
  }
  const missing = address === undefined || memories > 0 ? null : await describeMissing(database, address);
  if (missing !== null) return { checks: [fail("memory", missing.message, missing.advice)], memories };
  const checks = [
    (await database.limitsMemories())
      ? checkSizes(memories, full, nearly)
      : ok("memories", countText(memories, "memory")),
    checkFormat(earlier),
  ];
  if (overdue.count > 0) {
    const message = `not moved to the collection ${database.collectionName}_versions: ${overdue.text}`;
    checks.push(fail("history", message, overdueAdvice));
  }
  return { checks, memories };
}

function checkSizes(memories: number, full: Examples, nearly: Examples): Check {
  const name = "sizes";
  const limit = `the limit of ${numberText(limitBytes)} bytes`;
  const nearLimit = `over ${100 * nearlyFull} % of ${limit}`;
  const advice = "delete or move files, as what does not fit is refused (ENOSPC)";
  if (full.count > 0) return fail(name, `over ${limit}: ${full.text}`, advice);
  if (nearly.count > 0) return warn(name, `${nearLimit}: ${nearly.text}`, advice);
  return ok(name, `${countText(memories, "memory")}, none ${nearLimit}`);
}

function checkFormat(earlier: Examples): Check {
  const name = "format";
  if (earlier.count === 0) return ok(name, "no documents of the earlier format");
  const advice = "stores refuse this collection until `migrate earlier-format` has rewritten them";
  return fail(name, `of the earlier format: ${earlier.text}`, advice);
}

/** Counts memories, and stores the names of the first few. */
class Examples {
  count = 0;
  readonly #names: string[] = [];

  add(address: CheckedAddress): void {
    this.count += 1;
    if (this.#names.length < maxExamples) this.#names.push(formatAddress(address));
  }

  get text(): string {
    const others = this.count - this.#names.length;
    return `${this.#names.join("; ")}${others > 0 ? ` and ${others} more` : ""}`;
  }
}
