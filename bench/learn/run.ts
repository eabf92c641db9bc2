import { machineLine } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureTraffic } from "./traffic.js";

/** What a run of `learn` reads. */
export function measureLearn({ rounds, largeFileCount }: Settings): Promise<string[]> {
  return onServer("replicaSet", async (uri) => [
    await machineLine(uri, rounds),
    "",
    "Commands and bytes, sent and received, of a run with 20 new versions and 4 proposals, as a ratio to the smallest memory.",
    "",
    ...(await measureTraffic(uri, [10, 1000, largeFileCount])),
  ]);
}
