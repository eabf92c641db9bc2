import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureAgainst } from "./against/run.js";
import { measureDialects } from "./dialects/run.js";
import { measureErasing } from "./erasing/run.js";
import { measureFiles } from "./files/run.js";
import { measureHistory } from "./history/run.js";
import { measureHostileCalls } from "./hostile/run.js";
import { replaceMeasured, replaceRow } from "./measuring/results-file.js";
import { type CommandName, commandNames } from "./memories/commands.js";
import { measureMemory } from "./memories/run.js";
import { measurePage } from "./page/run.js";
import { measureStore } from "./store/run.js";
import { measureTraces } from "./traces/run.js";
import { measureWeight } from "./weight/run.js";

const { values } = parseArgs({
  options: {
    /** One of the parts; without it all. */
    only: { type: "string" },
    /** A tarball or folder of an earlier version, against which the built one is measured, and nothing else. */
    against: { type: "string" },
    rounds: { type: "string" },
    commands: { type: "string", default: commandNames.join() },
    files: { type: "string", default: "10,100,1000" },
    /** Processes that measure an import. */
    imports: { type: "string" },
    items: { type: "string", default: "1000,10000,100000" },
    vectors: { type: "string", default: "1000,10000" },
    /** Leaves the files, of which a run replaces the measured part, as they are. */
    dry: { type: "boolean", default: false },
  },
});

const numbers = (list: string): number[] => list.split(",").map(Number);
const defaults = values.against === undefined ? { rounds: 9, imports: 15 } : { rounds: 30, imports: 21 };
const rounds = Number(values.rounds ?? defaults.rounds);
const imports = Number(values.imports ?? defaults.imports);
const fileCounts = numbers(values.files);

const parts = [
  "memory",
  "store",
  "dialects",
  ...(values.against === undefined
    ? ["erasing", "files", "history", "hostile", "page", "traces", "weight"]
    : ["import"]),
];
if (values.only !== undefined && !parts.includes(values.only)) {
  throw new Error(`--only takes ${parts.join(" or ")} (given ${values.only})`);
}
const isWanted = (part: string): boolean => values.only === undefined || values.only === part;
const [load = 0] = loadavg();
if (load > 0.5)
  console.error(`The load of this machine is ${load.toFixed(1)} before anything is measured: expect noise.`);

if (values.against === undefined) {
  if (isWanted("memory")) await runMemory();
  if (isWanted("store")) await runStore();
  if (isWanted("dialects")) await report("dialects", await measureDialects(rounds));
  if (isWanted("erasing")) await report("erasing", await measureErasing(rounds));
  if (isWanted("files")) await report("files", await measureFiles(rounds));
  if (isWanted("history")) await report("history", await measureHistory(rounds));
  if (isWanted("hostile")) await report("hostile", await measureHostileCalls(rounds));
  if (isWanted("page")) await reportTo("PAGE-RESULTS.md", await measurePage(rounds));
  if (isWanted("traces")) await report("traces", await measureTraces(rounds));
  if (isWanted("weight")) await runWeight();
} else {
  await report("against", await measureAgainst({ earlier: values.against, rounds, imports, isWanted }));
}

async function runMemory(): Promise<void> {
  const commands = values.commands.split(",") as CommandName[];
  await report("memories", await measureMemory({ rounds, commands, fileCounts, imports }));
}

async function runStore(): Promise<void> {
  const counts = numbers(values.items);
  const { report: measured, plot } = await measureStore({
    rounds,
    counts,
    vectorCounts: numbers(values.vectors),
    fileCounts,
  });
  await report("store", measured);
  if (!values.dry) await writeFile(new URL("store/cost-plot.svg", import.meta.url), plot);
}

async function runWeight(): Promise<void> {
  const { report: measured, summary } = await measureWeight(imports);
  await report("weight", measured);
  if (!values.dry) await replaceRow(new URL("RESULTS.md", import.meta.url), ["[weight](weight/RESULTS.md)", summary]);
}

function report(folder: string, measured: string): Promise<void> {
  return reportTo(`${folder}/RESULTS.md`, measured);
}

async function reportTo(file: string, measured: string): Promise<void> {
  console.log(measured);
  if (!values.dry) await replaceMeasured(new URL(file, import.meta.url), measured);
}
