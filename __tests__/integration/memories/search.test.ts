import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });
const another = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName: name });

describe("a search in MongoDB", () => {
  it("reads the version alone where nothing has changed, also for another object of the same memory", async () => {
    const address = freshAddress();
    await store.memory(address).write("/a", "zebra");
    await store.memory(address).search("zebra");
    const sent = await commandsOf(client, () => store.memory(address).search("zebra"));
    expect(sent.map(({ commandName, command }) => [commandName, command["projection"]])).toEqual([
      ["find", { key: 1, hi: 1, revision: 1, updatedAt: 1, recorded: 1 }],
    ]);
  });

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
  it("keeps nothing for a memory that is missing, which may be missing again", async () => {
    const memory = store.memory(freshAddress());
    await memory.search("zebra");
    expect(await commandsOf(client, () => memory.search("zebra"))).toHaveLength(2);
  });

  it("finds nothing of a text that was replaced and redacted, in this process or another", async () => {
    const address = freshAddress();
    const memory = new MongoMemoryStore({ client, dbName: name, history: true }).memory(address);
    await memory.write("/a", "the secret zebra");
    expect(await another.memory(address).search("zebra")).toHaveLength(1);
    expect(await memory.search("zebra")).toHaveLength(1);
    await memory.write("/a", "harmless");
    await memory.history?.redact({ path: "/a" });
    for (const each of [memory, another.memory(address)]) {
      expect(await each.search("zebra")).toEqual([]);
      expect(await each.grep("zebra")).toEqual([]);
    }
  });

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

describe.each([false, true])("a search in MongoDB, history: %s", (history) => {
  const open = (): MongoMemoryStore => new MongoMemoryStore({ client, dbName: name, history });
  const path = fc
    .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
    .map((names) => `/${names.join("/")}`);
  const words = fc.constantFrom("zebra", "tiger", "lion", "# wolf", "2026-01-02", "wolf\n", "\n\n");
  const text = fc.array(words, { maxLength: 6 }).map((each) => each.join(" "));
  const pair = (
    second: fc.Arbitrary<string>,
    change: (memory: Memory, one: string, other: string) => Promise<unknown>,
  ) =>
    fc.tuple(path, second).map(
      ([one, other]) =>
        (memory: Memory) =>
          change(memory, one, other),
    );
  const change = fc.oneof(
    pair(text, (memory, at, content) => memory.write(at, content)),
    pair(text, (memory, at, content) => memory.append(at, content)),
    pair(path, (memory, from, to) => memory.rename(from, to)),
    pair(fc.constantFrom("tiger", "wolf"), (memory, at, word) => memory.update(at, word, "lion")),
    pair(fc.constant(""), (memory, at) => memory.delete(at)),
  );

  it("finds after any changes what a first search finds, hit for hit", async () => {
    const rounds = fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(rounds, async (all) => {
      const address = freshAddress();
      const [warm, other] = [open().memory(address), open().memory(address)];
      for (const changes of all) {
        // A refused one changes nothing.
        for (const [index, make] of changes.entries())
          await make(index % 2 === 0 ? other : warm).catch(() => undefined);
        const cold = open().memory(address);
        for (const query of ["zebra lion", "wolf a b"])
          expect(await warm.search(query)).toEqual(await cold.search(query));
      }
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 6, long: 60 }) });
  });
});
