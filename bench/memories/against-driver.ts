import { deepStrictEqual } from "node:assert/strict";
import type { Collection, MongoClient, WriteConcernSettings } from "mongodb";
import { type CommandName, commandNames, type Commands, memoryCommands } from "./commands.js";
import { type BenchDocument, documentOf, type Fixture, fixtureOf, text, turnOf } from "./fixture.js";
import { compare, type Comparison, measureRound, type Pair, type Sample } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";
import { rawCommands } from "./raw-commands.js";

export interface MemoryBenchOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  fileCounts: number[];
  commands: readonly CommandName[];
  rounds: number;
  writeConcern: WriteConcernSettings;
}

export interface MemoryResult extends Comparison {
  command: CommandName | "noise";
  fileCount: number;
  /** In each round, on each side. */
  iterations: number;
}

type Store = InstanceType<Package["MongoMemoryStore"]>;

/**
 * Rounds in which the engine prepares the code of both sides. That of the driver is called by both, and so prepared
 * sooner.
 */
const warmUps = 4;

/** Every command on every size, a little of each in every round, so that a slow spell of the machine hits all alike. */
export async function runMemoryBench(options: MemoryBenchOptions): Promise<MemoryResult[]> {
  const { client, dbName, writeConcern } = options;
  const { MongoMemoryStore } = options.package;
  const store = new MongoMemoryStore({ client, dbName, memoryWriteConcern: writeConcern });
  await store.start();
  const collection = client.db(dbName).collection<BenchDocument>("memories", { writeConcern });
  const cases = await Promise.all(options.fileCounts.map((fileCount) => caseOf(store, collection, fileCount)));
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < warmUps + options.rounds; round += 1) {
    const isWarmUp = round < warmUps;
    for (const { fixture, pairs, reset } of cases) {
      for (const name of [...options.commands, "noise"] as const) {
        await reset();
        const sample = await measureRound(pairs[name], iterationsOf(fixture.fileCount));
        const id = `${name} ${fixture.fileCount}`;
        if (!isWarmUp) samples.set(id, [...(samples.get(id) ?? []), sample]);
      }
    }
  }
  return [...samples].map(([id, rounds]) => {
    const [command, fileCount] = id.split(" ");
    return {
      command: command as MemoryResult["command"],
      fileCount: Number(fileCount),
      iterations: iterationsOf(Number(fileCount)),
      ...compare(rounds),
    };
  });
}

function iterationsOf(fileCount: number): number {
  return fileCount >= 1_000 ? 60 : 150;
}

/** A document for each side, equal but for the address. */
async function caseOf(store: Store, collection: Collection<BenchDocument>, fileCount: number) {
  const fixture = fixtureOf(fileCount);
  const now = new Date();
  const [ourDocument, rawDocument] = [documentOf(fixture, now), documentOf(fixture, now)];
  const ours = memoryCommands(store.memory({ nodeId: ourDocument.nodeId }), fixture);
  const raw = rawCommands(collection, rawDocument.nodeId, fixture);
  const reset = async (): Promise<void> => {
    for (const document of [ourDocument, rawDocument]) {
      const filter = { nodeId: document.nodeId, scope: document.scope };
      await collection.replaceOne(filter, document, { upsert: true });
    }
  };
  const restore = async (iteration: number): Promise<void> => {
    const { key } = turnOf(fixture, iteration);
    const put = (record: string, value: object | string) => ({
      $setField: { field: { $literal: key }, input: record, value },
    });
    const fields = { data: put("$data", { $literal: text }), meta: put("$meta", { createdAt: now, updatedAt: now }) };
    const bothSides = { scope: "global" as const, nodeId: { $in: [ourDocument.nodeId, rawDocument.nodeId] } };
    await collection.updateMany(bothSides, [{ $set: fields }]);
    // An agent deletes a file that it has seen.
    await ours.read(iteration);
  };
  await reset();
  await checkSameWork(ours, raw, fixture, restore);
  const pairs = Object.fromEntries(
    commandNames.map((name): [CommandName, Pair] => [
      name,
      { ours: ours[name], theirs: raw[name], ...(name === "delete" && { restore }) },
    ]),
  ) as Record<CommandName, Pair>;
  return { fixture, reset, pairs: { ...pairs, noise: { ours: raw.append, theirs: raw.append } } };
}

/** Fails where the two sides do not answer alike or leave different documents. */
async function checkSameWork(
  ours: Commands,
  raw: Commands,
  fixture: Fixture,
  restore: (iteration: number) => Promise<void>,
): Promise<void> {
  for (const name of ["append", "update", "write", "delete", "read", "list", "stat"] as const) {
    for (const iteration of [0, 1, fixture.fileCount]) {
      deepStrictEqual(withoutTimes(await ours[name](iteration)), withoutTimes(await raw[name](iteration)), name);
      if (name === "delete") await restore(iteration);
    }
  }
  const found = (await raw.snapshot(0)) as BenchDocument;
  const snapshot = (await ours.snapshot(0)) as { files: { path: string; content: string }[]; revision: number };
  const contents = snapshot.files.map(({ path, content }) => [path.slice(1).replaceAll("/", "."), content]);
  deepStrictEqual(Object.fromEntries(contents), found.data);
  deepStrictEqual(snapshot.revision, found.revision);
}

function withoutTimes(value: unknown): unknown {
  if (value instanceof Date) return "a time";
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutTimes(child)]));
}
