import type { MongoClient } from "mongodb";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Call, compare, type Comparison, measureSides, type Sample } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";
import { memoryCommands } from "./commands.js";
import { type BenchDocument, documentOf, fixtureOf } from "./fixture.js";

export interface MountResult extends Comparison {
  what: string;
  iterations: number;
}

const timed = ["read", "list", "append", "write", "outline"] as const;
const points = ["/", "/team", "/rules", "/archive"];

interface MountCase {
  what: string;
  ours: Call | undefined;
  /** Against the slowest of them. */
  theirs: (Call | undefined)[];
}

interface MountBenchOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  rounds: number;
}

/**
 * Commands through one mount against the same without, and the connector of four mounts against the slowest of its
 * reads.
 */
export async function runMountBench(options: MountBenchOptions): Promise<MountResult[]> {
  const { package: tested, client, dbName, rounds } = options;
  const store = new tested.MongoMemoryStore({ client, dbName });
  await store.start();
  const collection = client.db(dbName).collection<BenchDocument>("memories");
  const fixture = fixtureOf(100);
  const document = documentOf(fixture, new Date());
  await collection.insertOne(document);
  const memory = store.memory({ nodeId: document.nodeId });
  const inMemory = tested.openMemory(new InMemoryStore(), { nodeId: "bench" });
  await inMemory.write(fixture.paths[0] ?? "", "text");
  const read: Call = () => inMemory.read(fixture.paths[0] ?? "");
  const readMounted = (
    (mounted): Call =>
    () =>
      mounted.read(fixture.paths[0] ?? "")
  )(tested.mountMemories({ "/": inMemory }));
  const [plain, mounted] = [memory, tested.mountMemories({ "/": memory })].map((each) => memoryCommands(each, fixture));
  const cases = [
    ...timed.map((name) => ({ what: `${name}, one mount`, ours: mounted?.[name], theirs: [plain?.[name]] })),
    { what: "read of an InMemoryStore, one mount", ours: readMounted, theirs: [read] },
    ...(await connectorCases(options)),
    pingCase(options),
  ];
  return measureCases(cases, rounds, 150);
}

/** The connectors alone. @param where is put behind the name of each */
export async function runConnectorBench(options: MountBenchOptions, where: string): Promise<MountResult[]> {
  const cases = [...(await connectorCases(options)), pingCase(options)];
  return measureCases(
    cases.map((each) => ({ ...each, what: `${each.what}${where}` })),
    options.rounds,
    60,
  );
}

async function connectorCases({ package: tested, client, dbName }: MountBenchOptions): Promise<MountCase[]> {
  const store = new tested.MongoMemoryStore({ client, dbName });
  await store.start();
  const collection = client.db(dbName).collection<BenchDocument>("memories");
  return Promise.all(
    [10, 100].map(async (fileCount) => {
      const four = points.map(() => documentOf(fixtureOf(fileCount), new Date()));
      await collection.insertMany(four);
      const [first, ...rest] = four.map(({ nodeId }) => nodeId);
      const mounts = Object.fromEntries(rest.map((nodeId, index) => [points[index + 1] ?? "", { nodeId }]));
      const tree = new tested.MemoryNode({ store, nodeId: first ?? "", mounts }).createConnector();
      const alone = four.map(({ nodeId }) => new tested.MemoryNode({ store, nodeId }).createConnector());
      const what = `connector of four mounts of ${fileCount} files`;
      return { what, ours: () => tree.renderMessage(), theirs: alone.map((each) => () => each.renderMessage()) };
    }),
  );
}

/** What the machine and the driver alone make of four commands at once, which do nothing. */
function pingCase({ client, dbName }: MountBenchOptions): MountCase {
  const ping: Call = () => client.db(dbName).command({ ping: 1 });
  return {
    what: "four pings at once against one",
    ours: (iteration) => Promise.all(points.map(() => ping(iteration))),
    theirs: [ping],
  };
}

async function measureCases(cases: readonly MountCase[], rounds: number, iterations: number): Promise<MountResult[]> {
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { what, ours, theirs } of cases) {
      if (ours === undefined) continue;
      const sides = Object.fromEntries([
        ["ours", ours],
        ...theirs.flatMap((call, index) => (call ? [[`theirs ${index}`, call]] : [])),
      ] as [string, Call][]);
      const { ours: oursMs = Number.NaN, ...rest } = await measureSides(sides, iterations);
      const sample = { oursMs, theirsMs: Math.max(...Object.values(rest)) };
      if (round > 0) samples.set(what, [...(samples.get(what) ?? []), sample]);
    }
  }
  return [...samples].map(([what, rows]) => ({ what, iterations, ...compare(rows) }));
}
