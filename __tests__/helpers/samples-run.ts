import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { modelStandIn } from "./model-stand-in.js";
import { withDatabase } from "./with-database.js";

/*
 * Runs samples of the documentation, one after the other in this one process, because loading LangGraph takes longer
 * than most samples. Takes `SampleRuns` as JSON, and sends the fault of each sample, or "", to the parent.
 */

export interface SampleRuns {
  /** A folder in whose `node_modules` the samples find their packages. */
  folder: string;
  codes: readonly string[];
  uri: string;
  /** The start of the names of the databases. Each sample has one of its own. */
  dbName: string;
}

const documentedUri = /mongodb:\/\/localhost:27017(?:\/\w+)?/g;
const mostMs = 300_000;

const { folder, codes, uri, dbName } = JSON.parse(process.argv[2] ?? "") as SampleRuns;
globalThis.fetch = modelStandIn;
Object.assign(process.env, { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", AI_GATEWAY_API_KEY: "none" });

const faults: string[] = [];
for (const [index, code] of codes.entries()) {
  const fault = await runSample(code, index);
  faults.push(fault);
  process.send?.(fault);
}
// A sample that failed has not stopped its store. Otherwise what a sample leaves open keeps the test waiting.
if (faults.some(Boolean)) process.exit(1);

async function runSample(code: string, index: number): Promise<string> {
  const place = join(folder, `sample-${index}`);
  const file = join(place, "agent.mjs");
  const database = withDatabase(uri, `${dbName}_${index}`);
  await mkdir(place);
  await writeFile(file, code.replaceAll(documentedUri, database));
  process.chdir(place);
  process.env["MONGODB_URI"] = database;
  const before = countOpen();
  const late = new AbortController();
  try {
    const tooLate = wait(mostMs, "does not end", { signal: late.signal });
    const { href } = pathToFileURL(file);
    // Twice, because a reader runs a program again on the same database.
    const runTwice = import(href).then(() => import(`${href}?again`)).then(() => "");
    const fault = await Promise.race([runTwice, tooLate]);
    if (fault !== "") return fault;
  } catch (error) {
    return inspect(error);
  } finally {
    late.abort();
  }
  // A closed connection is gone after some turns of the loop.
  for (let tries = 0; tries < 100 && countOpen() > before; tries += 1) await wait(50);
  return countOpen() > before ? `leaves open: ${process.getActiveResourcesInfo().join(", ")}` : "";
}

/** Counts what would keep the process running. */
function countOpen(): number {
  return process.getActiveResourcesInfo().length;
}
