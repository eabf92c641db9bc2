import { randomUUID } from "node:crypto";
import { machineLine } from "../measuring/machine.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { milliseconds, row, tableHead } from "../measuring/table.js";
import { builtDeepAgents, builtDialects, builtPackage } from "../package/built-package.js";
import { commandLineCalls } from "./command-line-calls.js";
import { deepagentsCalls } from "./deepagents-calls.js";
import { dialectCalls } from "./dialect-calls.js";
import { type Ground, type HostileResult, measureHostile, sizes } from "./hostile-call.js";
import { storeCalls } from "./store-calls.js";

/** Ten times the size, a logarithm that grows by a fifth, and a quarter for chance. */
const maxGrowth = 10 * 1.2 * 1.25;
const maxBlockMs = 50;

export async function measureHostileCalls(rounds: number): Promise<string> {
  const [built, dialects, deepagents] = await Promise.all([builtPackage(), builtDialects(), builtDeepAgents()]);
  const { mongod, results } = await onServer("standalone", async (uri) => ({
    mongod: await mongodVersion(uri),
    results: await inDatabase(uri, {}, async (client, dbName) => {
      const store = new built.MongoMemoryStore({ client, dbName, textSearch: false });
      const memory: Ground["memory"] = () => store.memory({ nodeId: randomUUID() }, { maxFileBytes: 10_000_000 });
      const ground: Ground = { client, dbName, uri, package: built, dialects, deepagents, memory };
      const measured: HostileResult[] = [];
      for (const call of [...dialectCalls, ...deepagentsCalls, ...commandLineCalls, ...storeCalls]) {
        measured.push(await measureHostile(call, ground, rounds));
      }
      return measured;
    }),
  }));
  return ["## Measured", "", await machineLine({ mongod, rounds }), "", ...tableOf(results), ""].join("\n");
}

function tableOf(results: readonly HostileResult[]): string[] {
  const titles = [
    "call",
    "worst known input",
    ...sizes.map((bytes) => `${bytes / 1000} kB`),
    "growth",
    "longest block",
  ];
  return [...tableHead(titles), ...results.map(rowOf)];
}

function rowOf({ call: { name, input }, timesMs, blockMs }: HostileResult): string {
  const growth = (timesMs.at(-1) ?? 0) / (timesMs.at(-2) ?? 1);
  const block = `${milliseconds(blockMs)} ms`;
  const times = timesMs.map((timeMs) => `${milliseconds(timeMs)} ms`);
  return row([
    name,
    input,
    ...times,
    marked(growth.toFixed(1), growth > maxGrowth),
    marked(block, blockMs > maxBlockMs),
  ]);
}

const marked = (shown: string, isBad: boolean): string => (isBad ? `**${shown}**` : shown);
