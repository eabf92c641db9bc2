import { describe, expect, it } from "@jest/globals";
import type { PutOperation } from "@langchain/langgraph-checkpoint";
import { BSON, type Document } from "mongodb";
import { MemoryError, type Memory, MongoMemoryStore } from "../../../src/index.js";
import { createAddress } from "../../helpers/addresses.js";
import fc from "../../helpers/fast-check.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { SlowClient } from "../../helpers/before-commands.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, db, name } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName: name });
const slowClient = new SlowClient(client);
const slowStore = new MongoMemoryStore({ client: slowClient.client, dbName: name });
const maxMemoryBytes = 1500;

const storedDocument = (address: Memory["address"]): Promise<Document | null> =>
  db.collection("memories").findOne({ ...address });
/** The receipt of the last change does not count. */
const sizeOf = (document: Document | null): number =>
  BSON.calculateObjectSize({ ...document, lastChange: undefined }, { ignoreUndefined: true });

type Command = (memory: Memory) => Promise<unknown>;

describe("a memory at its limit", () => {
  it.each([
    createAddress("global", "global", "nobody"),
    createAddress("é", "perThread", "t"),
    createAddress("of a user", "perUser", "ada"),
  ])("is filled to its last byte by its first change, and made by none that is one byte more: %j", async (address) => {
    const nodeId = `${address.nodeId} ${freshAddress().nodeId}`;
    const [one, other] = ["one", "other"].map((which) => ({ ...address, nodeId: `${which} ${nodeId}`.padEnd(60) }));
    if (one === undefined || other === undefined) throw new Error("there are two addresses");
    await store.memory(one).write("/d/file", "x".repeat(1000));
    const sizeBytes = sizeOf(await db.collection("memories").findOne(one));
    await refuses(store.memory(other, { maxMemoryBytes: sizeBytes - 1 }).write("/d/file", "x".repeat(1000)), "ENOSPC");
    expect(await db.collection("memories").findOne(other)).toBeNull();
    await store.memory(other, { maxMemoryBytes: sizeBytes }).append("/d/file", "x".repeat(1000));
  });

  it("counts what a change leaves beside its text", async () => {
    const sizeAfter = async (address: { nodeId: string }, limit?: number): Promise<number> => {
      const memory = store.memory(address, limit === undefined ? {} : { maxMemoryBytes: limit });
      await memory.append("/a", "x");
      await memory.write("/b", "x".repeat(1000));
      return sizeOf(await storedDocument(memory.address));
    };
    const sizeBytes = await sizeAfter(freshAddress(), await sizeAfter(freshAddress()));
    expect(await sizeAfter(freshAddress(), sizeBytes)).toBe(sizeBytes);
    await refuses(sizeAfter(freshAddress(), sizeBytes - 1), "ENOSPC");
  });

  it("is not over it after an edit that another change has left no room for", async () => {
    const { address } = store.memory(freshAddress());
    const other = store.memory(address, { maxMemoryBytes });
    for (const path of ["/a", "/b"]) await other.write(path, "x");
    const room = maxMemoryBytes - sizeOf(await storedDocument(other.address));
    const edited = slowStore.memory(address, { maxMemoryBytes });
    const edit = (): Promise<unknown> => edited.edit("/a", () => "y".repeat(room));
    await refuses(
      slowClient.runBeside(2, () => other.append("/b", "z".repeat(200)), edit),
      "ENOSPC",
    );
    expect(sizeOf(await storedDocument(other.address))).toBeLessThanOrEqual(maxMemoryBytes);
  });

  it("is never over it, and as it was after every refusal", async () => {
    const segment = fc.constantFrom("a", "b", "long".repeat(20), "é".repeat(30), "$x", "a.b");
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
    const text = fc.constantFrom("", "x".repeat(50), "é".repeat(100), "y".repeat(400));
    const pair = (second: fc.Arbitrary<string>, make: (one: string, other: string) => Command): fc.Arbitrary<Command> =>
      fc.tuple(path, second).map(([one, other]) => make(one, other));
    const command = fc.oneof(
      pair(text, (to, content) => (memory) => memory.append(to, content)),
      pair(text, (to, content) => (memory) => memory.write(to, content)),
      pair(text, (to, content) => (memory) => memory.update(to, "x", `${content}z`)),
      pair(text, (to, content) => (memory) => memory.edit(to, (old) => old + content)),
      pair(fc.constant(""), (from) => (memory) => memory.delete(from)),
      { weight: 3, arbitrary: pair(path, (from, to) => (memory) => memory.rename(from, to)) },
    );
    const property = fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      const memory = store.memory(freshAddress(), { maxMemoryBytes });
      for (const run of commands) {
        const before = await storedDocument(memory.address);
        const refused: unknown = await run(memory).then(
          () => null,
          (error: unknown) => error,
        );
        const after = await storedDocument(memory.address);
        if (refused !== null) expect([MemoryError.isInstance(refused), after]).toEqual([true, before]);
        expect(sizeOf(after)).toBeLessThanOrEqual(maxMemoryBytes);
      }
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 15, long: 60 }) });
  });
});

describe("a batch of the store", () => {
  it("fills a memory to its last byte, and is refused as a whole where it is one byte more", async () => {
    const { nodeId } = freshAddress();
    const namespace = ["memory", nodeId, "global"];
    const file = (key: string, sizeBytes: number): PutOperation => ({
      namespace,
      key,
      value: { content: "x".repeat(sizeBytes) },
    });
    const documentBytes = async (): Promise<number> => sizeOf(await db.collection("memories").findOne({ nodeId }));
    await store.batch([file("/f0", 1_000_000)]);
    const before = await documentBytes();
    // What a file costs beside its text, with a key of two bytes.
    const fileBytes = 56;
    const batchTo = (limitBytes: number): PutOperation[] => {
      const last = limitBytes - before - 13 * (1_000_000 + fileBytes) - fileBytes;
      const files = Array.from("abcdefghijklmn", (letter, index) => file(`/${letter}1`, index < 13 ? 1_000_000 : last));
      return [{ namespace: ["items"], key: nodeId, value: {} }, ...files];
    };
    await expect(store.batch(batchTo(15_000_001))).rejects.toMatchObject({ name: "MemoryError", code: "ENOSPC" });
    expect([await documentBytes(), await store.get(["items"], nodeId)]).toEqual([before, null]);
    await store.batch(batchTo(15_000_000));
    expect(await documentBytes()).toBe(15_000_000);
    await expect(store.batch([file("/b1", 999_999), file("/d/x", 0)])).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await documentBytes()).toBe(15_000_000);
  });

  it("that begins a memory is refused as a whole too where it would not fit", async () => {
    const namespace = ["memory", freshAddress().nodeId, "perThread", "ada"];
    const value = { content: "x".repeat(1_000_000) };
    const puts = Array.from({ length: 15 }, (_, index) => ({ namespace, key: `/${index}`, value }));
    await expect(store.batch(puts)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await store.search(namespace)).toEqual([]);
    await store.batch(puts.slice(0, 14));
    expect(await store.listNamespaces({ prefix: namespace })).toEqual([namespace]);
  });
});
