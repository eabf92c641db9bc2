import { machineLine, resultTable } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureAgainstDriver } from "./against-driver.js";
import { measureAuto } from "./auto.js";
import { measureContention, writers } from "./contention.js";
import { atDistance } from "./distance.js";
import { measureMounts } from "./mounts.js";

const distanceMs = 2;

/** A memory of more such files splits on a replica set, and the raw side has one document. */
const mostFilesOfPage = 400;

export async function measureMemories(settings: Settings): Promise<string[]> {
  const { rounds } = settings;
  const ofOnePage = settings.fileCounts.filter((count) => count <= mostFilesOfPage);
  const standalone = await onServer("standalone", async (uri) => [
    await machineLine(uri, rounds),
    "",
    "### Standalone, writes with majority and journal",
    "",
    ...(await measureAgainstDriver(uri, settings)),
    "",
    "### Content `auto` of a log of 1 MB, on a standalone",
    "",
    ...resultTable("", await measureAuto(uri, rounds)),
    "",
    "### Mounts, on a standalone",
    "",
    ...resultTable("", [
      ...(await measureMounts(uri, "same machine", rounds)),
      ...(await atDistance(uri, distanceMs, (distant) => measureMounts(distant, `${distanceMs} ms away`, rounds))),
    ]),
  ]);
  const replicaSet = await onServer("replicaSet", async (uri) => [
    "### Replica set of one, writes with majority and journal",
    "",
    ...(await measureAgainstDriver(uri, { ...settings, fileCounts: ofOnePage })),
    "",
    `### Contention: appends a second by ${writers} writers at once, on a replica set of one`,
    "",
    ...(await measureContention(uri, settings)),
  ]);
  return [...standalone, "", ...replicaSet];
}
