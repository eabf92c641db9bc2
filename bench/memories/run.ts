import type { WriteConcernSettings } from "mongodb";
import type { CommandName } from "./commands.js";
import { measureImport } from "../package/import-time.js";
import { runMemoryBench } from "./against-driver.js";
import { atDistance } from "../measuring/distance.js";
import { type MountResult, runConnectorBench, runMountBench } from "./mounts.js";
import { builtPackage } from "../package/built-package.js";
import { reportOf, type ServerResults } from "./report.js";
import { durable, inDatabase, mongodVersion, notWaiting, onServer } from "../measuring/servers.js";

export interface MemoryRunOptions {
  rounds: number;
  commands: CommandName[];
  fileCounts: number[];
  imports: number;
}

export async function measureMemory(options: MemoryRunOptions): Promise<string> {
  const onGivenServer = process.env["MONGODB_URI"] !== undefined;
  const measure = (title: string, uri: string, writeConcern: WriteConcernSettings): Promise<ServerResults> =>
    inDatabase(uri, {}, async (client, dbName) => {
      const { rounds, commands, fileCounts } = options;
      const results = await runMemoryBench({
        package: await builtPackage(),
        client,
        dbName,
        writeConcern,
        rounds,
        commands,
        fileCounts,
      });
      return { title, results };
    });
  const { mongod, servers, mounts } = await onServer("standalone", async (uri) => {
    const name = onGivenServer ? "MONGODB_URI" : "Standalone";
    const found = [await measure(`${name}, writes with majority and journal`, uri, durable)];
    if (!onGivenServer) found.push(await measure(`${name}, writes not waiting for the journal`, uri, notWaiting));
    const measured = await measureMounts(uri, options.rounds);
    if (!onGivenServer) measured.push(...(await measureDistantMounts(uri, options.rounds)));
    return { mongod: await mongodVersion(uri), servers: found, mounts: measured };
  });
  if (!onGivenServer) {
    const title = "Replica set of one, writes with majority and journal";
    servers.push(await onServer("replicaSet", (uri) => measure(title, uri, durable)));
  }
  return reportOf({ mongod, rounds: options.rounds }, servers, mounts, await measureImport(options.imports));
}

async function measureMounts(uri: string, rounds: number): Promise<MountResult[]> {
  return inDatabase(uri, {}, async (client, dbName) =>
    runMountBench({ package: await builtPackage(), client, dbName, rounds }),
  );
}

const delayMs = 2;

async function measureDistantMounts(uri: string, rounds: number): Promise<MountResult[]> {
  const tested = await builtPackage();
  return atDistance(uri, delayMs, (distant) =>
    inDatabase(distant, {}, (client, dbName) =>
      runConnectorBench({ package: tested, client, dbName, rounds }, `, ${delayMs} ms away`),
    ),
  );
}
