import { machineLine } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureChanges } from "./changes.js";

/** What a history costs each change. */
export async function measureHistory(settings: Settings): Promise<string[]> {
  return onServer("standalone", async (uri) => [
    await machineLine(uri, settings.rounds),
    "A standalone, writes with majority and journal.",
    "",
    "Each change with history against the same without, means of a hundred, moving versions included. " +
      "Goal: at most 1.25.",
    "",
    ...(await measureChanges(uri, settings)),
  ]);
}
