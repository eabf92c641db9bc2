import type { MongoClient } from "mongodb";
import { documentOf, fixtureOf } from "./fixture.js";
import { median } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";

export interface ContentionResult {
  fileCount: number;
  /** Appends a second, all into one memory, each writer to files of its own. */
  onOneMemory: number;
  /** The same, a memory for each writer. */
  onOwnMemories: number;
}

export interface ContentionOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  fileCounts: number[];
  rounds: number;
}

export const writers = 16;
const appendsEach = 10;

/** Appends of several writers at once, to different files, with the default write concern of memories. */
export async function measureContention(options: ContentionOptions): Promise<ContentionResult[]> {
  const { client, dbName, rounds } = options;
  const store = new options.package.MongoMemoryStore({ client, dbName });
  await store.start();
  const collection = client.db(dbName).collection("memories");
  const results: ContentionResult[] = [];
  for (const fileCount of options.fileCounts) {
    const fixture = fixtureOf(fileCount);
    const rates = { shared: [] as number[], own: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const documents = Array.from({ length: writers }, () => documentOf(fixture, new Date()));
      await collection.insertMany(documents);
      const nodeIds = documents.map(({ nodeId }) => nodeId);
      const appendAll = (nodeIdOf: (writer: number) => string | undefined): Promise<number> =>
        rateOf((writer, turn) => {
          const path = fixture.paths[(writer + turn * writers) % fileCount] ?? "";
          return store.memory({ nodeId: nodeIdOf(writer) ?? "" }).append(path, "x");
        });
      const shared = await appendAll(() => nodeIds[0]);
      const own = await appendAll((writer) => nodeIds[writer]);
      await collection.deleteMany({ nodeId: { $in: nodeIds } });
      if (round === 0) continue;
      rates.shared.push(shared);
      rates.own.push(own);
    }
    results.push({ fileCount, onOneMemory: median(rates.shared), onOwnMemories: median(rates.own) });
  }
  return results;
}

async function rateOf(append: (writer: number, turn: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; turn < appendsEach; turn += 1) await append(writer, turn);
    }),
  );
  return (writers * appendsEach * 1_000) / (performance.now() - start);
}
