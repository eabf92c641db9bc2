import type { CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import { memoryDefaults } from "../../core/memory-options.js";
import type { CollationFacts, IndexFacts, ServerFacts } from "../../mongodb/admin/database-inspection.js";
import type { MemoryDatabase, MemoryFacts } from "../../mongodb/admin/memory-database.js";
import { CommandFault, withoutDoctorHint } from "../fault.js";
import { bytesText, countText } from "../terminal/format.js";
import { nameOf } from "../targets/memory-name.js";
import { missingMemory } from "../targets/missing-memory.js";
import { withDatabase } from "../targets/open-target.js";
import { redactUri } from "../redact.js";
import type { DatabaseTarget } from "../targets/target-options.js";
import type { Check, Health, MemorySize } from "./health.js";

/** `$setField`, in which every change is made, came with it. */
const minMajorVersion = 5;
const limitBytes = memoryDefaults.maxMemoryBytes;
const nearlyFull = 0.8;
const maxExamples = 3;

/**
 * Reads, and changes nothing. A check that cannot be made is one that fails. @throws CommandFault EIO where the server
 * cannot be reached
 */
export async function checkDatabase(
  target: DatabaseTarget,
  address: CheckedAddress | undefined,
  top: number,
): Promise<Health> {
  const name = redactUri(target.uri);
  const inspection = await import("../../mongodb/admin/database-inspection.js");
  try {
    return await withDatabase(target, async (database) => {
      const connection: Check = {
        name: "connection",
        status: "ok",
        message: `${name}, database ${database.db.databaseName}`,
      };
      const server = await made("server version", async () => [versionCheck(await inspection.serverFacts(database))]);
      const indexes = await made("indexes", async () => indexChecks(await inspection.indexFacts(database), database));
      const collations = await made("collations", async () =>
        (await inspection.defaultCollations(database)).map(collationCheck),
      );
      let [memories, largest]: [number, MemorySize[]] = [0, []];
      const ofMemories = await made("sizes", async () => {
        const found = await memoryChecks(database, address, top);
        [memories, largest] = [found.memories, found.largest];
        return found.checks;
      });
      return {
        target: name,
        checks: [connection, ...server, ...indexes, ...collations, ...ofMemories],
        memories,
        largest,
      };
    });
  } catch (error) {
    const reason = inspection.unsupportedServer(rootCauseOf(error));
    if (reason === null) throw error instanceof CommandFault ? withoutDoctorHint(error) : error;
    const version: Check = { name: "server version", status: "fail", message: reason, advice: versionAdvice };
    return { target: name, checks: [version], memories: 0, largest: [] };
  }

  async function made(check: string, make: () => Promise<Check[]>): Promise<Check[]> {
    try {
      return await make();
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const message = `could not be looked at (${error.message})`;
      if (!inspection.isUnauthorized(error.cause)) return [{ name: check, status: "fail", message }];
      return [
        {
          name: check,
          status: "warn",
          message,
          advice: "let the user list indexes and collections, as well as find, to have this looked at",
        },
      ];
    }
  }
}

function rootCauseOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCauseOf(error.cause) : error;
}

const versionAdvice = `use MongoDB ${minMajorVersion}.0 or later`;

function versionCheck({ version, topology }: ServerFacts): Check {
  const name = "server version";
  if (Number.parseInt(version, 10) >= minMajorVersion)
    return { name, status: "ok", message: `${version}, ${topology}` };
  return { name, status: "fail", message: `${version} is too old`, advice: versionAdvice };
}

function indexChecks(facts: IndexFacts[] | null, { memoriesCollection, db }: MemoryDatabase): Check[] {
  if (facts === null) {
    const message = `there is no collection ${memoriesCollection} in the database ${db.databaseName}`;
    return [
      {
        name: "indexes",
        status: "warn",
        message,
        advice: "check --db, --collection and --layout; the first write makes it",
      },
    ];
  }
  return facts.map(({ name: index, collection, state, used }): Check => {
    const ofMemories = collection === memoriesCollection;
    const name = `index ${index}${ofMemories ? "" : ` of ${collection}`}`;
    if (state === "missing") {
      const advice = ofMemories
        ? "the first write makes it; until then two memories of one address could arise"
        : "the application makes it when it next writes there; until then what needs it reads the whole collection";
      return { name, status: "warn", message: "missing", advice };
    }
    if (state === "different") {
      return {
        name,
        status: "fail",
        message: "there is another one of that name",
        advice: "drop or rename it; the first write then makes the right one",
      };
    }
    if (used === true) return { name, status: "ok", message: "present and used" };
    const advice = `${ofMemories ? "see `explain` of a find by nodeId and scope; " : ""}it may be hidden or being built`;
    return { name, status: "fail", message: "present, but the server does not use it", advice };
  });
}

function collationCheck({ collection, holds, locale }: CollationFacts): Check {
  const message = `the collection ${collection} has the default collation ${locale}; the store compares byte by byte all the same`;
  const advice =
    holds === "memories"
      ? 'queries by hand need collation: { locale: "simple" } to do so, too'
      : "but keys that this collation takes for one cannot both be put, and every get reads the whole collection: move the items to a collection without one";
  return { name: `collation of ${collection}`, status: "warn", message, advice };
}

async function memoryChecks(
  database: MemoryDatabase,
  address: CheckedAddress | undefined,
  top: number,
): Promise<Pick<Health, "checks" | "memories" | "largest">> {
  const [full, nearly, earlier, strange] = [new Examples(), new Examples(), new Examples(), new Examples()];
  const limit = database.layout.limitsByDefault ? limitBytes : null;
  let memories = 0;
  let largest: MemorySize[] = [];
  for await (const facts of database.facts(address)) {
    memories += 1;
    const share = limit === null ? 0 : facts.sizeBytes / limit;
    if (facts.address === null) strange.add(facts);
    else largest = withSize(largest, { address: facts.address, sizeBytes: facts.sizeBytes, limitBytes: limit }, top);
    if (share > 1) full.add(facts);
    else if (share > nearlyFull) nearly.add(facts);
    if (facts.outdated) earlier.add(facts);
  }
  const missing = address === undefined || memories > 0 ? null : await missingMemory(database, address);
  if (missing !== null) return { checks: [{ name: "memory", status: "fail", ...missing }], memories, largest };
  const checks =
    limit === null ? [unlimitedCheck(memories)] : [sizeCheck(memories, full, nearly), formatCheck(earlier)];
  if (strange.count > 0) {
    const message = `${countText(strange.count, "document")} with ids that no memory can have`;
    checks.push({
      name: "addresses",
      status: "warn",
      message,
      advice: "look at them in the collection; no memory reaches them",
    });
  }
  return { checks, memories, largest };
}

function sizeCheck(memories: number, full: Examples, nearly: Examples): Check {
  const name = "sizes";
  const limit = `the limit of ${bytesText(limitBytes)} bytes`;
  const advice = "delete or move files, as what does not fit is refused (ENOSPC)";
  if (full.count > 0) return { name, status: "fail", message: `over ${limit}: ${full.text}`, advice };
  if (nearly.count > 0)
    return { name, status: "warn", message: `over ${100 * nearlyFull} % of ${limit}: ${nearly.text}`, advice };
  return {
    name,
    status: "ok",
    message: `${countText(memories, "memory")}, none over ${100 * nearlyFull} % of ${limit}`,
  };
}

/** Of a layout that has no limit of a memory, and no earlier format. */
function unlimitedCheck(memories: number): Check {
  return { name: "sizes", status: "ok", message: `${countText(memories, "memory")}, without a limit in this layout` };
}

function formatCheck(earlier: Examples): Check {
  const name = "format";
  if (earlier.count === 0) return { name, status: "ok", message: "no documents of the earlier format" };
  const advice = "they are read as they are, and rewritten by their first change; `migrate earlier-format` does it now";
  return { name, status: "warn", message: `of the earlier format: ${earlier.text}`, advice };
}

/** How many there are, and the first few by name. */
class Examples {
  count = 0;
  readonly #names: string[] = [];

  add({ address }: MemoryFacts): void {
    this.count += 1;
    if (address !== null && this.#names.length < maxExamples) this.#names.push(nameOf(address));
  }

  get text(): string {
    const others = this.count - this.#names.length;
    return `${this.#names.join("; ")}${others > 0 ? ` and ${others} more` : ""}`;
  }
}

function withSize(largest: MemorySize[], size: MemorySize, top: number): MemorySize[] {
  const last = largest.at(-1);
  if (largest.length >= top && (last === undefined || last.sizeBytes >= size.sizeBytes)) return largest;
  return [...largest, size].toSorted((a, b) => b.sizeBytes - a.sizeBytes).slice(0, top);
}
