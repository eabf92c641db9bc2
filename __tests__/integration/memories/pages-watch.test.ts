import { describe, expect, it } from "@jest/globals";
import { MongoClient, ObjectId } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { testDatabase } from "../../helpers/test-database.js";
import { until } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, client, db } = testDatabase("replicaSet");
const memories = db.collection("memories");

const openStore = (by: MongoClient): MongoMemoryStore =>
  new MongoMemoryStore({ client: by, dbName, ...withPageBytes(2000) });

const writer = openStore(client);

/** No poll comes within a test. */
const never = 3_600_000;

const modes: [string, () => { store: MongoMemoryStore; pollIntervalMs: number }][] = [
  ["by a stream", () => ({ store: openStore(useClient(new MongoClient(uri))), pollIntervalMs: never })],
  [
    "by polling",
    // Half of the connections are kept for other commands, so there is none for a stream.
    () => ({ store: openStore(useClient(new MongoClient(uri, { maxPoolSize: 1 }))), pollIntervalMs: 20 }),
  ],
];

/** Collects the changes of files and directories that a watch reports. */
function collect(changes: ReturnType<Memory["watch"]>): { seen: string[]; end: Promise<void> } {
  const seen: string[] = [];
  const run = async (): Promise<void> => {
    for await (const { operation, path } of changes) seen.push(`${operation} ${path}`);
  };
  const end = run();
  end.catch(() => undefined);
  return { seen, end };
}

async function readTree(memory: Memory): Promise<Map<string, string>> {
  const { files, directories } = await memory.snapshot();
  return new Map([
    ...directories.map((path): [string, string] => [path, "directory"]),
    ...files.map(({ path, content }): [string, string] => [path, content]),
  ]);
}

function compareTrees(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const removed = [...before.keys()].filter((path) => !after.has(path));
  const others = [...after].filter(([path, text]) => before.get(path) !== text);
  return [
    ...removed.map((path) => `deleted ${path}`),
    ...others.map(([path]) => `${before.has(path) ? "modified" : "created"} ${path}`),
  ];
}

const steps: [title: string, run: (memory: Memory) => Promise<unknown>, pages: (count: number) => boolean][] = [
  ["a first file", (memory) => memory.write("/first", "text"), (count) => count === 1],
  ["many pages at once", (memory) => putFiles(writer, memory, createFiles(60)), (count) => count > 7],
  ["a change in the head", (memory) => memory.append("/d00/f0", "more"), (count) => count > 7],
  ["a change in another page", (memory) => memory.append("/d03/f3", "more"), (count) => count > 7],
  ["a split", (memory) => memory.write("/d03/long", "a longer text ".repeat(200)), (count) => count > 8],
  ["a rename over pages", (memory) => memory.rename("/d02", "/d05/moved"), (count) => count > 7],
  ["a delete of whole pages", (memory) => memory.delete("/d05"), (count) => count > 2],
  ["a delete of all other pages", (memory) => memory.delete("/"), (count) => count === 1],
  ["new pages", (memory) => putFiles(writer, memory, createFiles(60)), (count) => count > 7],
  ["forgetting", ({ address }) => writer.forget(address), (count) => count === 0],
  ["a small memory", (memory) => memory.write("/d03/f3", "new"), (count) => count === 1],
  ["forgetting a small memory", ({ address }) => writer.forget(address), (count) => count === 0],
  ["many pages again", (memory) => putFiles(writer, memory, createFiles(60)), (count) => count > 7],
];

describe.each(modes)("a watch of a large memory %s", (_mode, open) => {
  it("reports every change right and once", async () => {
    const { store, pollIntervalMs } = open();
    const memory = writer.memory(freshAddress());
    const watched = store.memory(memory.address).watch({ pollIntervalMs });
    await watched.ready;
    const { seen, end } = collect(watched);
    let before = await readTree(memory);
    for (const [title, run, hasPages] of steps) {
      await run(memory);
      expect([title, hasPages((await findPages(memories, memory)).length)]).toEqual([title, true]);
      const after = await readTree(memory);
      const expected = compareTrees(before, after);
      await until(() => seen.length >= expected.length);
      expect([title, seen.toSorted()]).toEqual([title, expected.toSorted()]);
      seen.length = 0;
      before = after;
    }
    await watched.return();
    await end;
    expect(seen).toEqual([]);
  });

  it("goes on when a head of an earlier release gets a new id", async () => {
    const { store, pollIntervalMs } = open();
    const address = { ...freshAddress(), scope: "global" } as const;
    await memories.insertOne({
      _id: new ObjectId(),
      ...address,
      data: { first: "text" },
      dirs: {},
      meta: {},
      revision: 1,
    });
    const memory = writer.memory(address);
    const watched = store.memory(address).watch({ pollIntervalMs });
    await watched.ready;
    const { seen, end } = collect(watched);
    await memory.append("/first", "more");
    await until(() => seen.length === 1);
    await putFiles(writer, memory, createFiles(60));
    await until(() => seen.length === 67);
    await memory.append("/d03/f3", "more");
    await until(() => seen.length === 68);
    expect([seen[0], seen[67], new Set(seen).size]).toEqual(["modified /first", "modified /d03/f3", 68]);
    await watched.return();
    await end;
  });
});
