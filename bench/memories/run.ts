import { machineLine } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureCommands } from "./commands.js";
import { measureContention, writers } from "./contention.js";

/** What commands of memories cost, and how many changes a second several writers make. */
export async function measureMemories(settings: Settings): Promise<string[]> {
  const standalone = await onServer("standalone", async (uri) => [
    await machineLine(uri, settings.rounds),
    "",
    "### Standalone",
    "",
    ...(await measureCommands(uri, settings)),
  ]);
  const replicaSet = await onServer("replicaSet", async (uri) => [
    "### Replica set of one",
    "",
    ...(await measureCommands(uri, settings)),
    "",
    `### Contention: appends a second by ${writers} writers at once, on a replica set of one`,
    "",
    ...(await measureContention(uri, settings)),
  ]);
  return [...standalone, "", ...replicaSet];
}
