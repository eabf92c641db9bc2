import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type CommandName, commandNames } from "./memories/commands.js";
import { measureDialects } from "./dialects/run.js";
import { measureMemory } from "./memories/run.js";
import { replaceMeasured } from "./measuring/results-file.js";
import { measureStore } from "./store/run.js";

const { values } = parseArgs({
  options: {
    /** `memory`, `store` or `dialects`; without it all. */
    only: { type: "string" },
    rounds: { type: "string", default: "9" },
    commands: { type: "string", default: commandNames.join() },
    files: { type: "string", default: "10,100,1000" },
    imports: { type: "string", default: "15" },
    items: { type: "string", default: "1000,10000,100000" },
    vectors: { type: "string", default: "1000,10000" },
    /** Leaves the files, of which a run replaces the measured part, as they are. */
    dry: { type: "boolean", default: false },
  },
});

const numbers = (list: string): number[] => list.split(",").map(Number);
const rounds = Number(values.rounds);
const fileCounts = numbers(values.files);

const parts = ["memory", "store", "dialects"];
if (values.only !== undefined && !parts.includes(values.only)) {
  throw new Error(`--only takes ${parts.join(" or ")} (given ${values.only})`);
}
const isWanted = (part: string): boolean => values.only === undefined || values.only === part;
const [load = 0] = loadavg();
if (load > 0.5) console.error(`The load of this machine is ${load.toFixed(1)} before anything is measured: expect noise.`);

if (isWanted("memory")) {
  const commands = values.commands.split(",") as CommandName[];
  const report = await measureMemory({ rounds, commands, fileCounts, imports: Number(values.imports) });
  console.log(report);
  if (!values.dry) await replaceMeasured(new URL("memories/RESULTS.md", import.meta.url), report);
}

if (isWanted("store")) {
  const counts = numbers(values.items);
  const { report, plot } = await measureStore({ rounds, counts, vectorCounts: numbers(values.vectors), fileCounts });
  console.log(report);
  if (!values.dry) {
    await replaceMeasured(new URL("store/RESULTS.md", import.meta.url), report);
    await writeFile(new URL("store/cost-plot.svg", import.meta.url), plot);
  }
}

if (isWanted("dialects")) {
  const report = await measureDialects(rounds);
  console.log(report);
  if (!values.dry) await replaceMeasured(new URL("dialects/RESULTS.md", import.meta.url), report);
}
