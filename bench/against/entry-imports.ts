import { readFile } from "node:fs/promises";
import { ordersOf } from "../measuring/measure.js";
import { entryOf } from "../package/built-package.js";
import { importTimes } from "../package/import-time.js";
import type { MeasuredCall } from "./calls.js";
import { type ByVersion, versionNames } from "./versions.js";

/**
 * Each entry that both versions can load, in fresh processes. Their processor time varies much less than how long they
 * take.
 */
export async function measureImports(folders: ByVersion<URL>, runs: number): Promise<MeasuredCall[]> {
  const names = await commonEntries(folders);
  const area = "Import, processor time";
  const measured = names.map((name): MeasuredCall => ({
    area,
    name,
    iterations: runs,
    rounds: [],
    answersDiffer: false,
  }));
  const orders = ordersOf(versionNames);
  for (let run = -1; run < runs; run += 1) {
    for (const { name, rounds } of measured) {
      const times = { now: Number.NaN, earlier: Number.NaN, copy: Number.NaN };
      for (const version of orders[(run + orders.length) % orders.length] ?? []) {
        times[version] = (await importTimes([entryOf(name, folders[version]).href])).processorMs;
      }
      if (run >= 0) rounds.push(times);
    }
  }
  return measured;
}

/** Not where the earlier version has no such entry, or needs a package that is installed here no more. */
async function loads(entry: URL): Promise<boolean> {
  return importTimes([entry.href]).then(
    () => true,
    () => false,
  );
}

async function commonEntries({ now, earlier }: ByVersion<URL>): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(new URL("package.json", now), "utf8")) as {
    exports: Record<string, unknown>;
  };
  const names = Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => path.slice(2) || "index");
  const isInEarlier = await Promise.all(names.map((name) => loads(entryOf(name, earlier))));
  return names.filter((_, index) => isInEarlier[index]);
}
