import { measureContention } from "../memories/contention.js";
import { builtPackage } from "../package/built-package.js";
import { inDatabase, mongodVersion, notWaiting, onServer } from "../measuring/servers.js";
import { runStoreBench } from "./against-others.js";
import { storePlot } from "./cost-plot.js";
import { storeReportOf } from "./report.js";
import { measureSizes } from "./sizes-and-options.js";
import { runVectorBench } from "./vector-search.js";

export interface StoreRunOptions {
  rounds: number;
  counts: number[];
  vectorCounts: number[];
  fileCounts: number[];
}

/** Writes that do not wait for the journal: what a store itself costs is the most of them. */
export async function measureStore(options: StoreRunOptions): Promise<{ report: string; plot: string }> {
  const { rounds, counts, vectorCounts, fileCounts } = options;
  const bench = { package: await builtPackage(), rounds };
  const measured = await onServer("standalone", async (uri) => {
    const inOwn = <T>(run: (context: Context) => Promise<T>): Promise<T> =>
      inDatabase(uri, { writeConcern: notWaiting }, (client, dbName) => run({ ...bench, client, dbName }));
    return {
      mongod: await mongodVersion(uri),
      results: await inOwn((context) => runStoreBench({ ...context, counts })),
      vectors: await inOwn((context) => runVectorBench({ ...context, counts: vectorCounts })),
      ...(await inOwn((context) => measureSizes({ ...context, count: Math.max(...counts) }))),
    };
  });
  const contention = await onServer("replicaSet", (uri) =>
    inDatabase(uri, {}, (client, dbName) =>
      measureContention({ ...bench, client, dbName, fileCounts, rounds: Math.min(rounds, 3) }),
    ),
  );
  const report = await storeReportOf({ ...measured, rounds, contention });
  return { report, plot: storePlot(measured.results) };
}

type Context = Pick<Parameters<typeof runStoreBench>[0], "package" | "client" | "dbName" | "rounds">;
