import { randomUUID } from "node:crypto";
import type { MongoClient } from "mongodb";
import type { Memory, MongoMemoryStore as Store } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, type Case, measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import { actor } from "./changes.js";

const column = "ratio";

/** What it costs to read a history, and to read beside one. */
export function measureReading(uri: string, rounds: number): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName, memoriesCollection: "with", history: true });
    await store.start();
    const fresh = await createFile(store, []);
    const appended = await createAppended(store);
    const files = {
      "appended to": appended,
      "edited in one line": await createFile(store, [0]),
      "edited in two lines": await createFile(store, [0, 500]),
    };
    const [few, many] = [
      await createVersions(client, dbName, store, 100),
      await createVersions(client, dbName, store, 100_000),
    ];
    const cases: Case[] = [
      {
        row: "a page of 100 versions of 100,000, against one of 100 (goal: at most 1.3)",
        column,
        ours: createPage(many),
        theirs: createPage(few),
        iterations: 40,
        atMost: 1.3,
      },
      ...Object.entries(files).map(([how, memory]) => ({
        row: `blame of a file of 1,000 lines, 1,000 times ${how}, against a read of it (goal: under 20)`,
        column,
        ours: async () => memory.history?.blame("/file"),
        theirs: () => memory.read("/file"),
        iterations: 20,
        atMost: 20,
      })),
      {
        row: "a read of the file after 1,000 versions, against one of the same file with one",
        column,
        ours: () => appended.read("/file"),
        theirs: () => fresh.read("/file"),
        iterations: 60,
      },
    ];
    return resultTable("", await measureCases(cases, { rounds }));
  });
}

function createPage(memory: Memory): Call {
  return async () => {
    const found: unknown[] = [];
    for await (const version of memory.history?.list({ limit: 100 }) ?? []) found.push(version);
    return found;
  };
}

const lines = Array.from({ length: 1000 }, (_, index) => `line ${index} of a file of some length`);

async function createAppended(store: Store): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  for (const line of lines) await memory.append("/file", line);
  return memory;
}

/** @param places between which the lines lie that each of 999 versions changes; none for no versions */
async function createFile(store: Store, places: readonly number[]): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.write("/file", lines.join("\n"));
  for (let version = 1; version < 1000 && places.length > 0; version += 1) {
    await memory.edit("/file", (old) => {
      const all = old.split("\n");
      for (const place of places) all[(version * 7 + place) % 1000] = `line changed by ${version} and ${place}`;
      return all.join("\n");
    });
  }
  return memory;
}

/** A memory with so many versions, which are written as the store itself writes them. */
async function createVersions(client: MongoClient, dbName: string, store: Store, count: number): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.write("/log", "x");
  const document = await client
    .db(dbName)
    .collection("with")
    .findOneAndUpdate({ nodeId: memory.address.nodeId }, { $set: { revision: count, outbox: [], hasVersions: true } });
  const createVersion = (revision: number) => ({
    _id: `${String(document?._id)}.${String(revision).padStart(10, "0")}.000000`,
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
  const insertedAtOnce = 10_000;
  for (let start = 1; start <= count; start += insertedAtOnce) {
    const length = Math.min(insertedAtOnce, count - start + 1);
    await versions.insertMany(Array.from({ length }, (_, offset) => createVersion(start + offset)));
  }
  return memory;
}
