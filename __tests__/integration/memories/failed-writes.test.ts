import { once } from "node:events";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { failCommands } from "../../helpers/fail-commands.js";
import { getFailure } from "../../helpers/get-failure.js";
import { freshAddress } from "../../helpers/memory-case.js";
import type { PrivateMongod } from "../../helpers/mongo-servers.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const isUnknown = "the outcome is unknown";

describe("a write that the server refuses", () => {
  const { client, name, db } = testDatabase();
  const refused = "EIO: MongoDB refused to write (code 121)";

  async function refuseTexts(collection: string, field: string): Promise<void> {
    await db.createCollection(collection, { validator: { [field]: { $not: { $regex: "refused" } } } });
  }

  it("in a batch of items says so, and that others were made", async () => {
    await refuseTexts("items", "value.text");
    const store = new MongoMemoryStore({ client, dbName: name });
    const put = (key: string, text: string) => ({ namespace: ["a"], key, value: { text } });
    expect((await getFailure(store.batch([put("a", "refused")]))).message).toBe(refused);
    expect((await getFailure(store.batch([put("a", "refused"), put("b", "refused")]))).message).toBe(refused);
    expect((await getFailure(store.batch([put("a", "kept"), put("b", "refused")]))).message).toBe(
      `${refused}; other writes of the batch were made`,
    );
    expect((await store.get(["a"], "a"))?.value).toEqual({ text: "kept" });
  });

  it("in a batch of files says so, also where the memory has several pages, and changes nothing", async () => {
    const memoriesCollection = "refusing";
    const store = new MongoMemoryStore({ client, dbName: name, memoriesCollection, ...withPageBytes(2000) });
    const { nodeId } = freshAddress();
    const put = (key: string, content: string) => ({
      namespace: ["memory", nodeId, "global"],
      key,
      value: { content },
    });
    await store.batch(Array.from({ length: 40 }, (_, file) => put(`/d${file}`, "x".repeat(200))));
    expect(await db.collection(memoriesCollection).countDocuments()).toBeGreaterThan(2);
    await db.command({ collMod: memoriesCollection, validator: { "data.d0": { $not: { $regex: "^y" } } } });
    const { message } = await getFailure(store.batch([put("/d0", "y".repeat(3000)), put("/d39", "y".repeat(3000))]));
    expect(message).toMatch(/^EIO: MongoDB refused to write \((?:DocumentValidationFailure, )?code 121\)$/);
    expect(await store.memory({ nodeId }).read("/d39")).toBe("x".repeat(200));
  });
});

describe("a write that fails", () => {
  let mongod: PrivateMongod;
  let admin: MongoClient;

  beforeAll(async () => {
    mongod = await privateMongod("replicaSet");
    admin = useClient(new MongoClient(mongod.uri));
  });

  async function open(options: MongoClientOptions = {}): Promise<{ client: MongoClient; memory: Memory }> {
    const client = useClient(new MongoClient(mongod.uri, options));
    const memory = new MongoMemoryStore({ client, dbName: "app", ...withPageBytes(2000) }).memory(freshAddress());
    await untilAnswers(memory);
    await memory.append("/a", "x");
    return { client, memory };
  }

  /** Makes every other write of a memory wait. @returns a function that ends this */
  async function lock(nodeId: string): Promise<() => Promise<void>> {
    const session = admin.startSession();
    session.startTransaction();
    const memories = admin.db("app").collection("memories");
    await memories.updateOne({ nodeId }, { $set: { isLocked: true } }, { session });
    return () => session.endSession();
  }

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["an append", (memory) => memory.append("/a", "y")],
    ["a write", (memory) => memory.write("/b", "y")],
    ["a delete", (memory) => memory.delete("/a")],
  ])("says of %s that waited for a connection of the pool only that it was not free", async (_name, change) => {
    const { client, memory } = await open({ maxPoolSize: 1, waitQueueTimeoutMS: 100 });
    const { nodeId } = memory.address;
    const unlock = await lock(nodeId);
    const isOccupied = once(client, "connectionCheckedOut");
    const ended = client
      .db("app")
      .collection("memories")
      .updateMany({ nodeId }, { $set: { isLocked: false } })
      .catch(() => undefined);
    await isOccupied;
    const { message, details } = await getFailure(change(memory));
    await client.close();
    await ended;
    await unlock();
    expect([message, details]).toEqual([
      "EIO: MongoDB did not answer (no connection of the pool was free in time)",
      undefined,
    ]);
  });

  it("says of a closed client only that it is closed", async () => {
    const { client, memory } = await open();
    await client.close();
    for (const change of [() => memory.append("/a", "y"), () => memory.edit("/a", () => "y"), () => memory.delete("/")])
      expect((await getFailure(change())).message).toBe("EIO: MongoDB did not answer (the client is closed)");
  });

  it("says that the outcome is unknown if the client was closed after it was sent", async () => {
    const { client, memory } = await open({ monitorCommands: true });
    const unlock = await lock(memory.address.nodeId);
    const isSent = once(client, "commandStarted");
    const failure = getFailure(memory.append("/a", "y"));
    await isSent;
    await client.close();
    expect((await failure).message).toBe(`EIO: MongoDB did not answer (the client is closed); ${isUnknown}`);
    await unlock();
  });

  it("says of a transaction that broke before its end that MongoDB did not answer, and changes nothing", async () => {
    const { memory } = await open();
    for (let file = 0; file < 40; file += 1) await memory.write(`/d/f${file}`, "x".repeat(200));
    await failCommands(admin, { failCommands: ["insert", "update", "delete"], closeConnection: true });
    const { message } = await getFailure(memory.rename("/d", "/e"));
    await failCommands(admin, null);
    expect(message).toMatch(/^EIO: MongoDB did not answer \(\w+\)$/);
    expect(await memory.list("/d")).toHaveLength(40);
  });
});
