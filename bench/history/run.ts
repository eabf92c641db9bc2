import type { CommandStartedEvent, MongoClient } from "mongodb";
import { randomUUID } from "node:crypto";
import { documentOf, fixtureOf, turnOf, addition, text } from "../memories/fixture.js";
import { machineLine } from "../measuring/machine.js";
import {
  type Call,
  compare,
  type Comparison,
  measureRound,
  measureSides,
  median,
  type Sample,
} from "../measuring/measure.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { comparisonCell, milliseconds, row, tableHead } from "../measuring/table.js";
import { builtPackage } from "../package/built-package.js";

type Store = InstanceType<Awaited<ReturnType<typeof builtPackage>>["MongoMemoryStore"]>;
type Memory = ReturnType<Store["memory"]>;

const fileCounts = [10, 100, 1000];
const changeGoal = 1.25;
const pageGoal = 1.3;
const blameGoal = 20;

/** As in a run of an agent. */
const actor = { userId: "ada", threadId: "thread", runId: "run", toolCallId: "call", node: "tools" };

const changes: Record<string, (memory: Memory, fixture: ReturnType<typeof fixtureOf>) => Call> = {
  append: (memory, fixture) => (iteration) => memory.append(turnOf(fixture, iteration).path, addition),
  update: (memory, fixture) => (iteration) => {
    const { path, oldWord, newWord } = turnOf(fixture, iteration);
    return memory.update(path, oldWord, newWord);
  },
  write: (memory, fixture) => (iteration) => memory.write(turnOf(fixture, iteration).path, `${text}${iteration}`),
  edit: (memory, fixture) => (iteration) =>
    memory.edit(turnOf(fixture, iteration).path, (old) => `${old.slice(0, 500)}${iteration}`),
  "create, then delete": (memory) => async (iteration) => {
    await memory.write(`/new-${iteration}`, text);
    await memory.delete(`/new-${iteration}`);
  },
  "rename, and back": (memory, fixture) => async (iteration) => {
    const { path } = turnOf(fixture, iteration);
    await memory.rename(path, "/moved");
    await memory.rename("/moved", path);
  },
};

/** What a history costs each change, and what it costs to read it. */
export async function measureHistory(rounds: number): Promise<string> {
  return onServer("standalone", async (uri) => {
    const mongod = await mongodVersion(uri);
    const changed = await inDatabase(uri, { monitorCommands: true }, (client, dbName) =>
      measureChanges(client, dbName, rounds),
    );
    // Without a monitor, which makes the driver read each answer twice.
    const read = await inDatabase(uri, {}, async (client, dbName) =>
      measureReading(client, dbName, await storeWithHistory(client, dbName), rounds),
    );
    return [
      "## Measured",
      "",
      await machineLine({ mongod, rounds }),
      "A standalone, writes with majority and journal.",
      "",
      ...changed,
      "",
      ...read,
      "",
    ].join("\n");
  });
}

async function measureChanges(client: MongoClient, dbName: string, rounds: number): Promise<string[]> {
  const { MongoMemoryStore } = await builtPackage();
  const withHistory = await storeWithHistory(client, dbName);
  const without = new MongoMemoryStore({ client, dbName, memoriesCollection: "without" });
  await without.start();
  const changeRows = await compareChanges(client, dbName, [withHistory, without], rounds);
  return [...changeRows, "", ...(await commandsAndBytes(client, dbName, withHistory))];
}

async function storeWithHistory(client: MongoClient, dbName: string): Promise<Store> {
  const { MongoMemoryStore } = await builtPackage();
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: "with", history: true });
  await store.start();
  return store;
}

async function compareChanges(
  client: MongoClient,
  dbName: string,
  [withHistory, without]: [Store, Store],
  rounds: number,
): Promise<string[]> {
  const rows: string[] = [];
  const results = new Map<string, Comparison[]>();
  for (const fileCount of fileCounts) {
    const fixture = fixtureOf(fileCount);
    const document = documentOf(fixture, new Date());
    for (const name of ["with", "without"])
      await client
        .db(dbName)
        .collection(name)
        .insertOne({ ...document });
    const [ours, theirs] = [withHistory, without].map((store) =>
      store.memory({ nodeId: document.nodeId }).with({ actor }),
    );
    if (ours === undefined || theirs === undefined) continue;
    for (const [name, build] of Object.entries(changes)) {
      const pair = { ours: build(ours, fixture), theirs: build(theirs, fixture) };
      const samples: Sample[] = [];
      // A hundred, so that each round has its share of moving versions, as means and not as medians would show.
      for (let round = 0; round <= rounds; round += 1) {
        const sample = await meansOf(pair, 100, round * 100);
        if (round > 0) samples.push(sample);
      }
      results.set(name, [...(results.get(name) ?? []), compare(samples)]);
    }
  }
  for (const [name, all] of results)
    rows.push(row([name, ...all.map((each) => comparisonCell(each, each.ratio > changeGoal))]));
  return [
    "Each change with history against the same without, means of a hundred, moving versions included. Goal: at most 1.25.",
    "",
    ...tableHead(["change", ...fileCounts.map((count) => `${count} files`)]),
    ...rows,
  ];
}

/** The sides take turns. */
async function meansOf(
  { ours, theirs }: { ours: Call; theirs: Call },
  iterations: number,
  first: number,
): Promise<Sample> {
  const sums = { oursMs: 0, theirsMs: 0 };
  for (let iteration = first; iteration < first + iterations; iteration += 1) {
    const sides = [
      ["oursMs", ours],
      ["theirsMs", theirs],
    ] as const;
    for (const [side, call] of iteration % 2 === 0 ? sides : sides.toReversed()) {
      const start = performance.now();
      await call(iteration);
      sums[side] += performance.now() - start;
    }
  }
  return { oursMs: sums.oursMs / iterations, theirsMs: sums.theirsMs / iterations };
}

async function commandsAndBytes(client: MongoClient, dbName: string, store: Store): Promise<string[]> {
  const fixture = fixtureOf(100);
  const lines: string[] = [];
  for (const [name, build] of Object.entries(changes)) {
    const document = documentOf(fixture, new Date());
    const { insertedId } = await client
      .db(dbName)
      .collection("with")
      .insertOne({ ...document });
    const call = build(store.memory({ nodeId: document.nodeId }).with({ actor }), fixture);
    let commands = 0;
    const count = ({ commandName }: CommandStartedEvent): number => (commandName === "" ? 0 : (commands += 1));
    client.on("commandStarted", count);
    for (let iteration = 0; iteration < 400; iteration += 1) await call(iteration);
    client.off("commandStarted", count);
    const perCall = name.includes(",") ? 2 : name === "edit" ? 1 : 1;
    const memory = insertedId.toHexString();
    const [found] = await client
      .db(dbName)
      .collection<{ _id: string }>("with_versions")
      .aggregate([
        { $match: { _id: { $gt: `${memory}.`, $lt: `${memory}/` } } },
        { $group: { _id: null, bytes: { $avg: { $bsonSize: "$$ROOT" } } } },
      ])
      .toArray();
    lines.push(row([name, (commands / 400 / perCall).toFixed(2), String(Math.round(Number(found?.["bytes"])))]));
  }
  return [
    "Commands a change, over 400 (an edit reads first, so 2 without history; goal: 0.1 more), and bytes of a stored version on average, of files of 500 bytes.",
    "",
    ...tableHead(["change", "commands", "bytes a version"]),
    ...lines,
  ];
}

/** Its versions are written as the store itself writes them. */
async function memoryWith(client: MongoClient, dbName: string, store: Store, count: number): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.write("/log", "x");
  const documents = client.db(dbName).collection("with");
  const { _id } =
    (await documents.findOneAndUpdate(
      { nodeId: memory.address.nodeId },
      { $set: { revision: count, outbox: [], hasVersions: true } },
    )) ?? {};
  const versionAt = (revision: number) => ({
    _id: `${String(_id)}.${String(revision).padStart(10, "0")}.000000`,
    file: "1",
    since: String(revision - 1),
    path: "/log",
    operation: "modified",
    at: new Date(),
    actor,
    older: { start: revision, text: "", end: 0 },
    sizeBytes: revision,
    sha256: "0".repeat(64),
  });
  const versions = client.db(dbName).collection<{ _id: string }>("with_versions");
  for (let start = 1; start <= count; start += 10_000) {
    await versions.insertMany(
      Array.from({ length: Math.min(10_000, count - start + 1) }, (_, offset) => versionAt(start + offset)),
    );
  }
  return memory;
}

async function measureReading(client: MongoClient, dbName: string, store: Store, rounds: number): Promise<string[]> {
  const [few, many] = [await memoryWith(client, dbName, store, 100), await memoryWith(client, dbName, store, 100_000)];
  const pageOf =
    (memory: Memory): Call =>
    async () => {
      const found: unknown[] = [];
      for await (const version of memory.history?.list({ limit: 100 }) ?? []) found.push(version);
      return found;
    };
  const page: Sample[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const sample = await measureRound({ ours: pageOf(many), theirs: pageOf(few) }, 40);
    if (round > 0) page.push(sample);
  }
  const pageResult = compare(page);
  const blames = await Promise.all(
    ["appended to", "edited in one line", "edited in two lines"].map((kind) => blameOf(store, kind)),
  );
  const rows: string[] = [];
  for (const { kind, memory } of blames) {
    const samples: Sample[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const { blame, read } = await measureSides(
        { blame: async () => memory.history?.blame("/file"), read: () => memory.read("/file") },
        20,
      );
      if (round > 0) samples.push({ oursMs: blame, theirsMs: read });
    }
    const result = compare(samples);
    rows.push(row([kind, comparisonCell(result, result.ratio > blameGoal)]));
  }
  const appended = blames[0]?.memory;
  const fresh = (await blameOf(store, "fresh")).memory;
  const long: Sample[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const sample = await measureRound(
      { ours: async () => appended?.read("/file"), theirs: () => fresh.read("/file") },
      60,
    );
    if (round > 0) long.push(sample);
  }
  return [
    `A page of 100 versions of 100,000, against one of 100 (goal: at most ${pageGoal}): ${comparisonCell(pageResult, pageResult.ratio > pageGoal)}`,
    "",
    `Blame of a file of 1,000 lines and 1,000 versions, against one read of it (goal: under ${blameGoal})`,
    "",
    ...tableHead(["the file was", "blame / read"]),
    ...rows,
    "",
    `A read of the file after 1,000 versions, against one of the same file with one: ${comparisonCell(compare(long))}`,
    `The median of one read: ${milliseconds(median(long.map(({ theirsMs }) => theirsMs)))} ms.`,
  ];
}

async function blameOf(store: Store, kind: string): Promise<{ kind: string; memory: Memory }> {
  const memory = store.memory({ nodeId: randomUUID() });
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index} of a file of some length`);
  if (kind === "appended to") for (const line of lines) await memory.append("/file", line);
  else await memory.write("/file", lines.join("\n"));
  const places = kind === "edited in one line" ? [0] : kind === "edited in two lines" ? [0, 500] : [];
  for (let version = 1; version < 1000 && places.length > 0; version += 1) {
    await memory.edit("/file", (old) => {
      const all = old.split("\n");
      for (const place of places) all[(version * 7 + place) % 1000] = `line changed by ${version} and ${place}`;
      return all.join("\n");
    });
  }
  return { kind, memory };
}
