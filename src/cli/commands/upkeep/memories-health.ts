import { memoryDefaults } from "../../../core/memory-options.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import { formatAddress } from "../../targets/format-address.js";
import { describeMissing } from "../../targets/missing-memory.js";
import { bytesText, countText } from "../../terminal/format.js";
import { type Check, fail, type Health, ok, warn } from "./health.js";

const limitBytes = memoryDefaults.maxMemoryBytes;
const nearlyFull = 0.8;
const maxExamples = 3;

/** @param address one memory, or undefined for all */
export async function checkMemories(
  database: MemoryDatabase,
  address: CheckedAddress | undefined,
): Promise<Omit<Health, "target">> {
  const [full, nearly, earlier, strange] = [new Examples(), new Examples(), new Examples(), new Examples()];
  let memories = 0;
  for await (const { address: found, sizeBytes, outdated } of database.facts(address)) {
    memories += 1;
    const share = sizeBytes / limitBytes;
    if (found === null) strange.add(found);
    if (share > 1) full.add(found);
    else if (share > nearlyFull) nearly.add(found);
    if (outdated) earlier.add(found);
  }
  const missing = address === undefined || memories > 0 ? null : await describeMissing(database, address);
  if (missing !== null) return { checks: [fail("memory", missing.message, missing.advice)], memories };
  const checks = [
    (await database.limitsMemories())
      ? checkSizes(memories, full, nearly)
      : ok("memories", countText(memories, "memory")),
    checkFormat(earlier),
  ];
  if (strange.count > 0) checks.push(reportStrange(strange));
  return { checks, memories };
}

function checkSizes(memories: number, full: Examples, nearly: Examples): Check {
  const name = "sizes";
  const limit = `the limit of ${bytesText(limitBytes)} bytes`;
  const nearLimit = `over ${100 * nearlyFull} % of ${limit}`;
  const advice = "delete or move files, as what does not fit is refused (ENOSPC)";
  if (full.count > 0) return fail(name, `over ${limit}: ${full.text}`, advice);
  if (nearly.count > 0) return warn(name, `${nearLimit}: ${nearly.text}`, advice);
  return ok(name, `${countText(memories, "memory")}, none ${nearLimit}`);
}

function checkFormat(earlier: Examples): Check {
  const name = "format";
  if (earlier.count === 0) return ok(name, "no documents of the earlier format");
  const advice = "they are read as they are, and rewritten by their first change; `migrate earlier-format` does it now";
  return warn(name, `of the earlier format: ${earlier.text}`, advice);
}

function reportStrange({ count }: Examples): Check {
  const message = `${countText(count, "document")} with ids that no memory can have`;
  const advice = "look at them in the collection; no memory reaches them";
  return warn("addresses", message, advice);
}

/** Counts memories, and stores the names of the first few. */
class Examples {
  count = 0;
  readonly #names: string[] = [];

  add(address: CheckedAddress | null): void {
    this.count += 1;
    if (address !== null && this.#names.length < maxExamples) this.#names.push(formatAddress(address));
  }

  get text(): string {
    const others = this.count - this.#names.length;
    return `${this.#names.join("; ")}${others > 0 ? ` and ${others} more` : ""}`;
  }
}
