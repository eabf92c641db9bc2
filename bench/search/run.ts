import { machineLine } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureRecall } from "./recall.js";
import { measureSearches } from "./searches.js";

/** How good the search of memories is, and how fast. */
export async function measureSearch(settings: Settings): Promise<string[]> {
  const { rounds, data } = settings;
  const good = data === undefined ? [] : ["How good.", "", ...(await measureRecall(data)), ""];
  const fast = await onServer("standalone", async (uri) => [
    await machineLine(uri, rounds),
    "",
    "How fast, with 1,000 files.",
    "",
    ...(await measureSearches(uri, settings)),
    "",
  ]);
  return [...good, ...fast];
}
