import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import type { MemoryVersion } from "../../../src/core/history.js";
import type { Memory } from "../../../src/core/memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { refuses } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, db, name: dbName } = testDatabase("standalone");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
let nowMs = Date.now();
const store = new MongoMemoryStore({ client, dbName, history: true, clock: () => new Date((nowMs += 1)) });
const freshMemory = (): Memory => store.memory({ nodeId: randomUUID() }, { paths: "posix" });

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of stream) found.push(each);
  return found;
}

function historyOf(memory: Memory) {
  if (memory.history === null) throw new Error("the memory keeps no history");
  return memory.history;
}

const summary = ({ operation, path, from }: MemoryVersion): string => `${operation} ${from === undefined ? "" : `${from} -> `}${path}`;

describe("the history of a memory", () => {
  it("is null in a store without it", () => {
    expect(new MongoMemoryStore({ client, dbName }).memory({ nodeId: "a" }).history).toBeNull();
  });

  it("has a version for each change of a file, newest first", async () => {
    const memory = freshMemory();
    await memory.write("/notes/a", "one");
    await memory.append("/notes/a", "two");
    await memory.update("/notes/a", "one", "1");
    await memory.edit("/notes/a", (text) => `${text}!`);
    await memory.rename("/notes/a", "/notes/b");
    await memory.write("/notes/c", "c");
    await memory.rename("/notes", "/other");
    await memory.delete("/other");
    const versions = await all(historyOf(memory).list());
    expect(versions.map(summary).toReversed()).toEqual([
      "created /notes/a",
      "modified /notes/a",
      "modified /notes/a",
      "modified /notes/a",
      "renamed /notes/a -> /notes/b",
      "created /notes/c",
      "renamed /notes/b -> /other/b",
      "renamed /notes/c -> /other/c",
      "deleted /other/b",
      "deleted /other/c",
    ]);
    const contents = await Promise.all(versions.toReversed().map(async ({ id }) => (await historyOf(memory).read(id)).content));
    expect(contents).toEqual(["one", "one\ntwo", "1\ntwo", "1\ntwo!", "1\ntwo!", "c", "1\ntwo!", "c", null, null]);
  });

  it("has none for what changes nothing", async () => {
    const memory = freshMemory();
    await memory.write("/a", "text");
    await memory.write("/a", "text");
    await memory.append("/a", "");
    await memory.edit("/a", (text) => text);
    await memory.update("/a", "missing", "x");
    await memory.update("/a", "text", "text");
    await memory.delete("/b");
    await refuses(memory.rename("/b", "/c"), "ENOENT");
    expect(await all(historyOf(memory).list())).toHaveLength(1);
  });

  it("takes 1.1 commands a change on average, and reads the same before and after versions leave the document", async () => {
    const memory = freshMemory();
    const sent = await commandsOf(client, async () => {
      for (let index = 0; index < 250; index += 1) await memory.append("/log", `line ${index}`);
    });
    expect(sent.length).toBeLessThanOrEqual(275);
    const versions = await all(historyOf(memory).list());
    expect(versions.map(({ id }) => Number(id))).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
    expect((await historyOf(memory).read("7")).content).toBe(Array.from({ length: 7 }, (_, index) => `line ${index}`).join("\n"));
    expect(await db.collection<{ _id: string }>("memories_versions").countDocuments()).toBeGreaterThanOrEqual(200);
  });
});
