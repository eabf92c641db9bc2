import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });
const another = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName: name });

describe("a search in MongoDB", () => {
  // Requirement: search.one-small-read
  it("reads the version alone where nothing has changed, also for another object of the same memory", async () => {
    const address = freshAddress();
    await store.memory(address).write("/a", "zebra");
    await store.memory(address).search("zebra");
    const sent = await commandsOf(client, () => store.memory(address).search("zebra"));
    expect(sent.map(({ commandName, command }) => [commandName, command["projection"]])).toEqual([
      ["find", { key: 1, hi: 1, revision: 1, updatedAt: 1 }],
    ]);
  });

  // Requirement: search.fresh
  it("reads the texts again after a change of another process", async () => {
    const address = freshAddress();
    const memory = store.memory(address);
    await memory.write("/a", "zebra");
    await memory.search("zebra");
    await another.memory(address).append("/b", "lion");
    const sent = await commandsOf(client, async () =>
      expect((await memory.search("lion")).map(({ path }) => path)).toEqual(["/b"]),
    );
    expect(sent).toHaveLength(2);
  });

  // Requirement: search.fresh
  it("never takes a memory for one that was erased before it, though both were changed as often", async () => {
    const address = freshAddress();
    const memory = store.memory(address);
    await memory.write("/a", "zebra");
    expect(await memory.search("zebra")).toHaveLength(1);
    // No search in between, which would let the index go.
    await another.forget(address);
    await another.memory(address).write("/a", "lion");
    expect(await memory.search("zebra")).toEqual([]);
    expect(await memory.search("lion")).toHaveLength(1);
  });

  // Another process may make it between the two commands, and erase it afterwards.
  // Requirement: search.fresh
  it("keeps nothing for a memory that is missing, which may be missing again", async () => {
    const memory = store.memory(freshAddress());
    await memory.search("zebra");
    expect(await commandsOf(client, () => memory.search("zebra"))).toHaveLength(2);
  });

  // Requirement: search.fresh
  it("sees each change of a document of the earlier system, which counts none", async () => {
    const address = freshAddress();
    const memories = client.db(name).collection("memories");
    await memories.insertOne({ ...address, scope: "global", data: { notes: { today: "zebra" } } });
    const memory = store.memory(address);
    expect((await memory.search("zebra")).map(({ path }) => path)).toEqual(["/notes/today"]);
    await memories.updateOne(address, { $set: { "data.notes.today": "lion" } });
    expect(await memory.search("zebra")).toEqual([]);
    expect((await memory.search("lion")).map(({ path }) => path)).toEqual(["/notes/today"]);
  });

  // Requirement: search.fresh
  it("finds nothing of a text that was replaced and redacted, in this process or another", async () => {
    const address = freshAddress();
    const memory = new MongoMemoryStore({ client, dbName: name, history: true }).memory(address);
    await memory.write("/a", "the secret zebra");
    expect(await another.memory(address).search("zebra")).toHaveLength(1);
    expect(await memory.search("zebra")).toHaveLength(1);
    await memory.write("/a", "harmless");
    await memory.history?.redact("1");
    for (const each of [memory, another.memory(address)]) {
      expect(await each.search("zebra")).toEqual([]);
      expect(await each.grep("zebra")).toEqual([]);
    }
  });

  // Requirement: search.others-are-not-found
  it("finds nothing of other memories", async () => {
    const { nodeId } = freshAddress();
    const [ann, bob] = ["ann", "bob"].map((userId) => store.memory({ nodeId, scope: "perUser", userId }));
    await ann?.write("/a", "zebra");
    await bob?.write("/a", "lion");
    expect(await bob?.search("zebra")).toEqual([]);
    expect(await bob?.grep("zebra")).toEqual([]);
    expect(await ann?.search("zebra")).toHaveLength(1);
  });
});
