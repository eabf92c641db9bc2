import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { MongoClient, type WriteConcernSettings } from "mongodb";
import { PrivateMongod } from "../__tests__/helpers/mongo-servers.js";
import { type CommandName, commandNames } from "./commands.js";
import { measureImport } from "./import-time.js";
import { runMemoryBench } from "./memory-bench.js";
import { builtPackage } from "./package.js";
import { reportOf, type ServerResults } from "./report.js";

const resultsFile = new URL("RESULTS.md", import.meta.url);

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    commands: { type: "string", default: commandNames.join() },
    files: { type: "string", default: "10,100,1000" },
    imports: { type: "string", default: "15" },
    /** Leaves RESULTS.md, of which a run replaces the measured part, as it is. */
    dry: { type: "boolean", default: false },
  },
});

const durable = { w: "majority", journal: true } as const;

async function measureServer(title: string, uri: string, writeConcern: WriteConcernSettings): Promise<ServerResults> {
  const client = new MongoClient(uri);
  const dbName = `memory_bench_${randomUUID()}`;
  try {
    const results = await runMemoryBench({
      package: await builtPackage(),
      client,
      dbName,
      writeConcern,
      rounds: Number(values.rounds),
      commands: values.commands.split(",") as CommandName[],
      fileCounts: values.files.split(",").map(Number),
    });
    return { title, results };
  } finally {
    await client.db(dbName).dropDatabase();
    await client.close();
  }
}

async function mongodVersion(uri: string): Promise<string> {
  const client = new MongoClient(uri);
  const { version } = await client.db("admin").command({ buildInfo: 1 });
  await client.close();
  return String(version);
}

async function onOwnServers(): Promise<{ mongod: string; servers: ServerResults[] }> {
  const servers: ServerResults[] = [];
  let mongod = "";
  for (const kind of ["standalone", "replicaSet"] as const) {
    const server = await PrivateMongod.start(kind);
    try {
      mongod = await mongodVersion(server.uri);
      const name = kind === "standalone" ? "Standalone" : "Replica set of one";
      servers.push(await measureServer(`${name}, writes with majority and journal`, server.uri, durable));
      if (kind === "standalone") {
        servers.push(await measureServer(`${name}, writes not waiting for the journal`, server.uri, { w: 1, journal: false }));
      }
    } finally {
      await server.stop();
    }
  }
  return { mongod, servers };
}

const [load = 0] = loadavg();
if (load > 0.5) console.error(`The load of this machine is ${load.toFixed(1)} before anything is measured: expect noise.`);
const givenUri = process.env["MONGODB_URI"];
const measured =
  givenUri === undefined
    ? await onOwnServers()
    : { mongod: await mongodVersion(givenUri), servers: [await measureServer("MONGODB_URI", givenUri, durable)] };
const imported = await measureImport(Number(values.imports));
const report = await reportOf({ mongod: measured.mongod, rounds: Number(values.rounds) }, measured.servers, imported);
console.log(report);
if (!values.dry) {
  const text = await readFile(resultsFile, "utf8").catch(() => "# Benchmark\n\n");
  const before = text.includes("## Measured") ? text.slice(0, text.indexOf("## Measured")) : text;
  await writeFile(resultsFile, before + report);
}
