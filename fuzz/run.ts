import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inDatabase, onServer } from "../bench/measuring/servers.js";
import { Findings } from "./findings.js";
import { HeapLevels } from "./heap-levels.js";
import { keepSecret } from "./oracle.js";
import { reportOf } from "./report.js";
import { CaseRun } from "./run-cases.js";
import type { Ground, Target } from "./target.js";
import { targets } from "./targets.js";
import { UnderWay } from "./watchdog.js";

const { values } = parseArgs({
  options: {
    /** Of all targets together. */
    count: { type: "string", default: "200000" },
    /** Of an earlier run, to have the same cases. */
    seed: { type: "string" },
    /** Names of targets. */
    only: { type: "string", default: targets.map(({ name }) => name).join() },
  },
});

const count = wholeNumber("count", values.count);
const seed = values.seed === undefined ? randomInt(2 ** 31) : wholeNumber("seed", values.seed);
const chosen = values.only.split(",").map(targetOf);

const findings = new Findings();
findings.watchProcess();
const underWay = new UnderWay();
const heap = new HeapLevels();
const start = performance.now();
console.log(`${count} cases, seed ${seed}: ${chosen.map(({ name }) => name).join(", ")}`);

// In RAM where there is some: imports wait for the disk, which is not what is measured.
const folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "fuzz-"));
keepSecret(folder);
const run = await onServer("standalone", async (uri) =>
  inDatabase(uri, { w: 1, journal: false }, async (client, dbName) => {
    const ground: Ground = { uri, client, dbName, folder };
    const cases = new CaseRun({ targets: chosen, count, seed, ground, findings, underWay, onQuiet: heap.measure });
    const progress = setInterval(
      () => console.error(`${cases.cases} cases after ${Math.round((performance.now() - start) / 1000)} s`),
      30_000,
    );
    process.once("SIGINT", () => cases.stop());
    await cases.run();
    clearInterval(progress);
    return cases;
  }),
);
await rm(folder, { recursive: true, force: true });
await underWay.stop();

const growth = heap.growthFault();
if (growth !== null) findings.add("heap", `npm run fuzz -- --seed ${seed} --count ${count}`, new Error(growth));
console.log(
  reportOf({ tallies: run.tallies, heap: heap.levels, findings, seed, seconds: (performance.now() - start) / 1000 }),
);
process.exit(findings.count > 0 ? 1 : 0);

function wholeNumber(name: string, given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value)) throw new TypeError(`--${name} takes a whole number (given ${given})`);
  return value;
}

function targetOf(name: string): Target {
  const found = targets.find((each) => each.name === name);
  if (found === undefined)
    throw new TypeError(`--only takes ${targets.map((each) => each.name).join(", ")} (given ${name})`);
  return found;
}
