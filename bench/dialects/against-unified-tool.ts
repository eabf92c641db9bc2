import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Collection, Document, MongoClient } from "mongodb";
import type { Memory } from "../../src/core/memory.js";
import { checked, type DialectCall, fileCalls, journalCalls, seedFiles, seedJournal, toolOf } from "./calls.js";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { Dialects, Package } from "../package/built-package.js";

export interface DialectBenchOptions {
  package: Package;
  dialects: Dialects;
  client: MongoClient;
  dbName: string;
  rounds: number;
}

export interface DialectResult extends Comparison {
  call: DialectCall;
  /** Server commands of one call. */
  commands: number;
}

const iterations = 50;

/** Each call of each dialect against the nearest of the unified tool, on equal memories of their own. */
export async function runDialectBench(options: DialectBenchOptions): Promise<DialectResult[]> {
  const {
    package: { MongoMemoryStore, MemoryTool },
    dialects,
    client,
    dbName,
  } = options;
  const store = new MongoMemoryStore({ client, dbName });
  await store.start();
  const collection = client.db(dbName).collection("memories");
  const bench = async (seed: (memory: Memory) => Promise<void>, calls: DialectCall[], name: string) => {
    const [ours, twin] = [`${name} of the dialect`, `${name} of the unified tool`].map((nodeId) =>
      store.memory({ nodeId }, { paths: "posix" }),
    );
    if (ours === undefined || twin === undefined) throw new Error("two memories are opened");
    const reset = await resetter(collection, [ours, twin], seed);
    const unified: StructuredToolInterface = new MemoryTool({ memory: twin });
    return calls.map((call) => ({ call, reset, tool: toolOf(call, ours, dialects), unified }));
  };
  const cases = [
    ...(await bench(seedFiles, fileCalls, "files")),
    ...(await bench((memory) => seedJournal(memory, dialects), journalCalls, "journal")),
  ];
  const samples = new Map<DialectCall, Sample[]>();
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const { call, reset, tool, unified } of cases) {
      await reset();
      const pair = {
        ours: (index: number) => checked(tool, call.args(index)),
        theirs: (index: number) => checked(unified, call.unifiedArgs(index)),
      };
      const sample = await measureRound(pair, iterations);
      if (round > 0) samples.set(call, [...(samples.get(call) ?? []), sample]);
    }
  }
  const results: DialectResult[] = [];
  for (const { call, reset, tool } of cases) {
    await reset();
    const commands = await commandsOf(client, dbName, () => checked(tool, call.args(0)));
    results.push({ call, commands, ...compare(samples.get(call) ?? []) });
  }
  return results;
}

/** Seeds the memories once; what it answers brings that state back in one command each. */
async function resetter(
  collection: Collection,
  memories: Memory[],
  seed: (memory: Memory) => Promise<void>,
): Promise<() => Promise<void>> {
  const documents: Document[] = [];
  for (const memory of memories) {
    await seed(memory);
    const document = await collection.findOne({ nodeId: memory.address.nodeId });
    if (document !== null) documents.push(document);
  }
  return async () => {
    for (const document of documents)
      await collection.replaceOne({ _id: document["_id"] as never }, document, { upsert: true });
  };
}

async function commandsOf(client: MongoClient, dbName: string, run: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const listener = (event: { databaseName: string }): void => {
    if (event.databaseName === dbName) count += 1;
  };
  client.on("commandStarted", listener);
  await run().finally(() => client.off("commandStarted", listener));
  return count;
}
