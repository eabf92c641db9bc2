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
const iterations = 150;

/** Commands through one mount against the same without, and the connector of four mounts against the slowest of its reads. */
export async function runMountBench(options: { package: Package; client: MongoClient; dbName: string; rounds: number }): Promise<MountResult[]> {
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
  const readMounted = ((mounted): Call => () => mounted.read(fixture.paths[0] ?? ""))(tested.mountMemories({ "/": inMemory }));
  const [plain, mounted] = [memory, tested.mountMemories({ "/": memory })].map((each) => memoryCommands(each, fixture));
  const connectors = await Promise.all([10, 100].map(async (fileCount) => {
    const four = points.map(() => documentOf(fixtureOf(fileCount), new Date()));
    await collection.insertMany(four);
    const [first, ...rest] = four.map(({ nodeId }) => nodeId);
    const mounts = Object.fromEntries(rest.map((nodeId, index) => [points[index + 1] ?? "", { nodeId }]));
    const tree = new tested.MemoryNode({ store, nodeId: first ?? "", mounts }).createConnector();
    const alone = four.map(({ nodeId }) => new tested.MemoryNode({ store, nodeId }).createConnector());
    const what = `connector of four mounts of ${fileCount} files`;
    return { what, ours: () => tree.renderMessage(), theirs: alone.map((each) => () => each.renderMessage()) };
  }));
  const cases = [
    ...timed.map((name) => ({ what: `${name}, one mount`, ours: mounted?.[name], theirs: [plain?.[name]] })),
    { what: "read of an InMemoryStore, one mount", ours: readMounted, theirs: [read] },
    ...connectors,
  ];
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { what, ours, theirs } of cases) {
      if (ours === undefined) continue;
      const sides = Object.fromEntries([["ours", ours], ...theirs.flatMap((call, index) => (call ? [[`theirs ${index}`, call]] : []))] as [string, Call][]);
      const { ours: oursMs = Number.NaN, ...rest } = await measureSides(sides, iterations);
      const sample = { oursMs, theirsMs: Math.max(...Object.values(rest)) };
      if (round > 0) samples.set(what, [...(samples.get(what) ?? []), sample]);
    }
  }
  return [...samples].map(([what, rows]) => ({ what, iterations, ...compare(rows) }));
}
