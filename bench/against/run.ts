import { inDatabase, mongodVersion, notWaiting, onServer } from "../measuring/servers.js";
import type { MeasuredCall, VersionCall } from "./calls.js";
import { dialectCalls } from "./dialect-calls.js";
import { measureImports } from "./entry-imports.js";
import { connectorCalls, memoryCalls } from "./memory-calls.js";
import type { Server } from "./place.js";
import { againstReportOf } from "./report.js";
import { measureRounds } from "./rounds.js";
import { storeCalls } from "./store-calls.js";
import { byVersion, type ByVersion, loadVersion, type Version, versionNumber, withVersions } from "./versions.js";

export interface AgainstOptions {
  /** A tarball of `npm pack`, or the folder of a package with its `dist`. */
  earlier: string;
  rounds: number;
  /** Processes for each entry and version. */
  imports: number;
  isWanted: (part: string) => boolean;
}

type CallsOf = (version: Version, server: Server) => Promise<VersionCall[]>;

const parts: [part: string, callsOf: CallsOf][] = [
  ["memory", memoryCalls],
  ["memory", connectorCalls],
  ["store", storeCalls],
  ["dialects", dialectCalls],
];

export async function measureAgainst({ earlier, rounds, imports, isWanted }: AgainstOptions): Promise<string> {
  return withVersions(earlier, async (folders) => {
    const { mongod, calls } = await onServer("standalone", async (uri) => ({
      mongod: await mongodVersion(uri),
      calls: await inDatabase(uri, { writeConcern: notWaiting }, (client, dbName) =>
        measureCalls(folders, { client, dbName }, rounds, isWanted),
      ),
    }));
    const imported = isWanted("import") ? await measureImports(folders, imports) : [];
    return againstReportOf({ mongod, rounds, earlier: await versionNumber(folders.earlier), calls: [...calls, ...imported] });
  });
}

async function measureCalls(
  folders: ByVersion<URL>,
  server: Server,
  rounds: number,
  isWanted: (part: string) => boolean,
): Promise<MeasuredCall[]> {
  const calls = await byVersion(async (name) => {
    const version = await loadVersion(name, folders[name]);
    const wanted: VersionCall[] = [];
    for (const [part, callsOf] of parts) if (isWanted(part)) wanted.push(...(await callsOf(version, server)));
    return wanted;
  });
  return measureRounds(calls, rounds);
}
