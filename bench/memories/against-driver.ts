import { deepStrictEqual } from "node:assert/strict";
import type { Collection } from "mongodb";
import type { MongoMemoryStore as Store } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, type Case, measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { durable, inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { type Command, createCommands } from "./commands.js";
import { createDocument, createFixture, type Fixture, type MemoryDocument, pickFile, text } from "./fixture.js";
import { createRawCommands } from "./raw-commands.js";

type Commands = Record<Command, Call>;

const goals: Partial<Record<Command, number>> = { append: 1.1, update: 1.1, write: 1.1, delete: 1.1 };
const goalOfReads = 1.15;
/** Both sides call the driver, whose code the engine therefore prepares sooner than ours. */
const warmUps = 4;

/** Each command of a memory against one command of the driver. */
export function measureAgainstDriver(uri: string, { rounds, fileCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    await store.start();
    const documents = client.db(dbName).collection<MemoryDocument>("memories", { writeConcern: durable });
    const cases = await Promise.all(fileCounts.map((fileCount) => createCases(store, documents, fileCount)));
    return resultTable("command", await measureCases(cases.flat(), { rounds, warmUps }));
  });
}

/** A document for each side, equal but for the address. */
async function createCases(store: Store, documents: Collection<MemoryDocument>, fileCount: number): Promise<Case[]> {
  const fixture = createFixture(fileCount);
  const now = new Date();
  const sides = { ours: createDocument(fixture, now), theirs: createDocument(fixture, now) };
  const ours = createCommands(store.memory({ nodeId: sides.ours.nodeId }), fixture);
  const theirs = createRawCommands(documents, sides.theirs.nodeId, fixture);
  const prepare = async (): Promise<void> => {
    for (const document of Object.values(sides)) {
      const { nodeId, scope } = document;
      await documents.replaceOne({ nodeId, scope }, document, { upsert: true });
    }
  };
  const restore: Case["restore"] = async (side, iteration) => {
    await putBack(documents, sides[side], pickFile(fixture, iteration).key);
    // An agent deletes a file that it has seen.
    if (side === "ours") await ours.read(iteration);
  };
  await prepare();
  await checkSameWork(ours, theirs, fixture, restore);
  const [left, right] = await Promise.all(
    Object.values(sides).map(({ nodeId }) => documents.findOne({ nodeId, scope: "global" })),
  );
  deepStrictEqual([left?.data, left?.revision], [right?.data, right?.revision]);
  const iterations = fileCount >= 1_000 ? 60 : 150;
  const shared = { column: `${fileCount} files (n = ${iterations} a round)`, iterations, prepare };
  const commands = Object.keys(ours) as Command[];
  return [
    ...commands.map((row) => ({
      ...shared,
      row,
      ours: ours[row],
      theirs: theirs[row],
      atMost: goals[row] ?? goalOfReads,
      ...(row === "delete" && { restore }),
    })),
    { ...shared, row: "noise", ours: theirs.append, theirs: theirs.append },
  ];
}

async function putBack(
  documents: Collection<MemoryDocument>,
  { nodeId, scope, createdAt }: MemoryDocument,
  key: string,
): Promise<void> {
  const put = (record: string, value: object) => ({ $setField: { field: { $literal: key }, input: record, value } });
  const meta = { createdAt, updatedAt: createdAt };
  await documents.updateOne({ nodeId, scope }, [
    { $set: { data: put("$data", { $literal: text }), meta: put("$meta", meta) } },
  ]);
}

/** Fails where the two sides do not answer alike. What an outline and a snapshot hold is fetched only by theirs. */
async function checkSameWork(
  ours: Commands,
  theirs: Commands,
  { paths }: Fixture,
  restore: NonNullable<Case["restore"]>,
): Promise<void> {
  for (const name of ["append", "update", "write", "delete", "read", "list", "stat"] as const) {
    for (const iteration of [0, 1, paths.length]) {
      deepStrictEqual(withoutTimes(await ours[name](iteration)), withoutTimes(await theirs[name](iteration)), name);
      if (name !== "delete") continue;
      await restore("ours", iteration);
      await restore("theirs", iteration);
    }
  }
}

function withoutTimes(answer: unknown): unknown {
  return JSON.parse(JSON.stringify({ answer }, (key, value: unknown) => (key.endsWith("At") ? "a time" : value)));
}
