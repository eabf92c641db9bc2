import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import type { MeasuredCall } from "./calls.js";
import { measureImports } from "./entry-imports.js";
import { againstReportOf } from "./report.js";
import { measureRounds } from "./rounds.js";
import { VersionProcess, type WorkerData } from "./version-process.js";
import { byVersion, type ByVersion, versionNumber, withVersions } from "./versions.js";

export interface AgainstOptions {
  /** A tarball of `npm pack`, or the folder of a package with its `dist`. */
  earlier: string;
  rounds: number;
  /** Processes for each entry and version. */
  imports: number;
  isWanted: (part: string) => boolean;
}

const parts = ["memory", "store", "dialects"];

export async function measureAgainst({ earlier, rounds, imports, isWanted }: AgainstOptions): Promise<string> {
  return withVersions(earlier, async (folders) => {
    const { mongod, calls } = await onServer("standalone", async (uri) => ({
      mongod: await mongodVersion(uri),
      calls: await inDatabase(uri, {}, (_client, dbName) =>
        measureCalls(folders, { uri, dbName, parts: parts.filter(isWanted) }, rounds),
      ),
    }));
    const imported = isWanted("import") ? await measureImports(folders, imports) : [];
    return againstReportOf({
      mongod,
      rounds,
      earlier: await versionNumber(folders.earlier),
      calls: [...calls, ...imported],
    });
  });
}

async function measureCalls(
  folders: ByVersion<URL>,
  server: Pick<WorkerData, "uri" | "dbName" | "parts">,
  rounds: number,
): Promise<MeasuredCall[]> {
  const processes = await byVersion((name) => VersionProcess.start({ ...server, name, folder: folders[name].href }));
  try {
    return await measureRounds(processes, rounds);
  } finally {
    for (const process of Object.values(processes)) process.stop();
  }
}
