import { machineLine, readVersion, resultTable } from "../measuring/report.js";
import { onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureAgainstOthers } from "./against-others.js";
import { measureOptions } from "./options.js";
import { dims, measureVectorSearch } from "./vector-search.js";

/** Writes do not wait for the journal: so what a store itself costs is the most of them. */
export async function measureStore(settings: Settings): Promise<string[]> {
  const officialName = "@langchain/langgraph-checkpoint-mongodb";
  return onServer("standalone", async (uri) => {
    const machine = await machineLine(uri, settings.rounds);
    const { raw, official } = await measureAgainstOthers(uri, settings);
    return [
      `${machine} Official store: ${officialName} ${await readVersion(`node_modules/${officialName}`)}.`,
      "",
      "### Against the driver (ours ÷ raw)",
      "",
      ...resultTable("operation", raw),
      "",
      "### Against the official store (official ÷ ours)",
      "",
      ...resultTable("operation", official),
      "",
      `### Exact vector search, ${dims} dimensions`,
      "",
      ...(await measureVectorSearch(uri, settings)),
      "",
      "### Options",
      "",
      ...(await measureOptions(uri, settings)),
    ];
  });
}
