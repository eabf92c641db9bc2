import { randomInt, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PrivateMongod, quickFolder } from "../../__tests__/helpers/mongo-servers.js";
import { formatReport, type TargetReport } from "./report.js";
import { runInChild } from "./run-in-child.js";
import { writeTable } from "./table.js";
import { targets } from "./targets.js";

const { values } = parseArgs({
  options: {
    /** One target; all of them by default. */
    target: { type: "string" },
    /** Of each target. */
    cases: { type: "string", default: "1000" },
    /** Of an earlier run, to repeat its cases. */
    seed: { type: "string" },
    /** Milliseconds for each target. */
    time: { type: "string", default: "300000" },
    /** Writes the figures into bench/fuzz/RESULTS.md. */
    table: { type: "boolean", default: false },
  },
});

const cases = parseWholeNumber("cases", values.cases);
const seed = values.seed === undefined ? randomInt(2 ** 31) : parseWholeNumber("seed", values.seed);
const timeMs = parseWholeNumber("time", values.time);
const names = targets.map((target) => target.name).filter((name) => name === (values.target ?? name));
if (names.length === 0)
  throw new TypeError(`--target takes ${targets.map(({ name }) => name).join(", ")} (given ${values.target})`);

let isStopped = false;
process.once("SIGINT", () => (isStopped = true));

// In RAM where there is some, because waiting for the disk says nothing about the package.
const folder = await mkdtemp(join(await quickFolder(), "fuzz-"));
const server = await PrivateMongod.start("standalone");
const reports: TargetReport[] = [];
for (const name of names) {
  const dbName = `fuzz_${randomUUID()}`;
  const report = await runInChild({ name, cases, seed, timeMs, uri: server.uri, dbName, folder });
  if (isStopped) break;
  console.log(formatReport(report));
  reports.push(report);
}
await server.stop();
await rm(folder, { recursive: true, force: true });
if (values.table && !isStopped) await writeTable(reports);
process.exit(reports.some((report) => report.findings.length > 0) ? 1 : 0);

function parseWholeNumber(name: string, given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value)) throw new TypeError(`--${name} takes a whole number (given ${given})`);
  return value;
}
