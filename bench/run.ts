import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureHistory } from "./history/run.js";
import { replaceMeasured } from "./measuring/report.js";
import { measureLarge } from "./large/run.js";
import { measureMemories } from "./memories/run.js";
import { measureSearch } from "./search/run.js";
import { measureStore } from "./store/run.js";

const areas = {
  memories: measureMemories,
  store: measureStore,
  search: measureSearch,
  history: measureHistory,
  large: measureLarge,
};

const { values } = parseArgs({
  options: {
    /** One of the areas; without it all. */
    only: { type: "string" },
    /** Leaves the files, of which a run replaces the measured part, as they are. */
    dry: { type: "boolean", default: false },
    rounds: { type: "string", default: "9" },
    files: { type: "string", default: "10,100,1000" },
    items: { type: "string", default: "1000,10000,100000" },
    vectors: { type: "string", default: "1000,10000" },
    /** Files of the large memory. */
    large: { type: "string", default: "100000" },
    data: { type: "string" },
  },
});

if (values.only !== undefined && !Object.hasOwn(areas, values.only))
  throw new Error(`--only takes ${Object.keys(areas).join(", ")} (given ${values.only})`);
const [load = 0] = loadavg();
if (load > 0.5)
  console.error(`The load of this machine is ${load.toFixed(1)} before anything is measured: expect noise.`);

const toNumbers = (list: string): number[] => list.split(",").map(Number);
const settings = {
  rounds: Number(values.rounds),
  fileCounts: toNumbers(values.files),
  itemCounts: toNumbers(values.items),
  vectorCounts: toNumbers(values.vectors),
  largeFileCount: Number(values.large),
  data: values.data,
};
for (const [area, measure] of Object.entries(areas)) {
  if (values.only !== undefined && values.only !== area) continue;
  const lines = await measure(settings);
  console.log(["", `# ${area}`, "", ...lines].join("\n"));
  // The page of the search tells of many runs, so people write it.
  if (!values.dry && area !== "search") await replaceMeasured(new URL(`${area}/RESULTS.md`, import.meta.url), lines);
}
