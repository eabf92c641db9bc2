import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MemoryError } from "../../../src/core/errors.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { MemoryTool } from "../../../src/dialects/unified/memory-tool.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

async function failureOf(call: Promise<unknown>): Promise<MemoryError> {
  const error = await call.then(
    () => "no failure",
    (reason: unknown) => reason,
  );
  if (!MemoryError.isInstance(error)) throw new Error(`expected a MemoryError, not ${String(error)}`);
  return error;
}

describe("a MongoDB that goes away", () => {
  // Requirement: errors.cause, errors.missing-is-not-failed, guarantees.storage-back, guarantees.storage-down
  it("makes every command EIO until it is back, with nothing of hosts or stacks in the message", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const memory = new MongoMemoryStore({ client, dbName: "outage" }).memory(freshAddress());
    await untilAnswers(memory);
    await memory.append("/notes/today", "before");
    await mongod.kill();
    const commands = [
      () => memory.read("/notes/today"),
      () => memory.list("/"),
      () => memory.append("/notes/today", "during"),
      () => memory.update("/notes/today", "before", "during"),
      () => memory.delete("/"),
      () => memory.write("/notes/today", "during"),
      () => memory.edit("/notes/today", (text) => text),
      () => memory.rename("/notes", "/moved"),
      () => memory.stat("/notes"),
      () => memory.snapshot(),
      () => memory.outline(),
    ];
    for (const command of commands) {
      const error = await failureOf(command());
      expect(error.code).toBe("EIO");
      expect(error.message).toMatch(/^EIO: MongoDB did not answer \([\w ]+\)(; the outcome is unknown)?$/);
      expect(error.cause).toBeInstanceOf(Error);
    }
    await mongod.restart();
    await untilAnswers(memory);
    expect(await memory.read("/notes/today")).toBe("before");
    await memory.append("/notes/today", "after");
  });

  // Requirement: guarantees.storage-back, mongodb.indexes-at-first-use
  it("at first use is EIO, and the indexes are made once it is there", async () => {
    const mongod = await privateMongod("standalone");
    await mongod.kill();
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const store = new MongoMemoryStore({ client, dbName: "late" });
    const memory = store.memory(freshAddress());
    expect((await failureOf(memory.append("/a", "x"))).code).toBe("EIO");
    expect((await failureOf(store.start())).code).toBe("EIO");
    await mongod.restart();
    await untilAnswers(memory);
    await memory.append("/a", "x");
    const names = (await client.db("late").collection("memories").indexes()).map((index) => index.name);
    expect(names).toEqual(expect.arrayContaining(["uniq_global", "uniq_per_thread"]));
  });

  // Requirement: mongodb.indexes-tried-again
  it("that fails once at making the indexes fails one call, and the next one makes them", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri));
    const store = new MongoMemoryStore({ client, dbName: "once" });
    const outOfDiskSpace = 14031;
    const memory = store.memory(freshAddress());
    for (const write of [() => memory.append("/a", "x"), () => store.put(["a"], "k", {})]) {
      await client.db("admin").command({
        configureFailPoint: "failCommand",
        mode: { times: 1 },
        data: { failCommands: ["createIndexes"], errorCode: outOfDiskSpace },
      });
      expect((await failureOf(write())).message).toContain(String(outOfDiskSpace));
      await write();
    }
    const indexesOf = async (name: string): Promise<unknown[]> => (await client.db("once").collection(name).indexes()).map((index) => index.name);
    expect(await indexesOf("memories")).toContain("uniq_global");
    expect(await indexesOf("items")).toContain("items_by_namespace");
  });

  // Requirement: guarantees.storage-slow, guarantees.unknown-outcome
  it("that hangs makes commands EIO within the timeouts of the client", async () => {
    const mongod = await privateMongod("standalone");
    const address = freshAddress();
    const patient = new MongoMemoryStore({ client: useClient(new MongoClient(mongod.uri)), dbName: "hang" }).memory(address);
    await patient.append("/a", "x");
    const client = useClient(new MongoClient(mongod.uri, { socketTimeoutMS: 500, connectTimeoutMS: 500, serverSelectionTimeoutMS: 500 }));
    const memory = new MongoMemoryStore({ client, dbName: "hang" }).memory(address);
    await untilAnswers(memory);
    await mongod.pause();
    try {
      expect((await failureOf(memory.read("/a"))).code).toBe("EIO");
      expect((await failureOf(memory.append("/a", "y"))).message).toContain("the outcome is unknown");
    } finally {
      mongod.resume();
    }
    await untilAnswers(memory);
    await patient.append("/a", "z");
    expect(await patient.read("/a")).toMatch(/^x\n(y\n)?z$/);
  });

  // Requirement: guarantees.storage-back
  it("answers through the tool with an envelope, and later calls work", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const memory = new MongoMemoryStore({ client, dbName: "tool" }).memory(freshAddress());
    const tool = new MemoryTool({ memory });
    await mongod.kill();
    const answer = JSON.parse(await tool.invoke({ path: "/a", command: "append", content: "x" })) as unknown;
    expect(answer).toEqual({
      command: "append",
      path: "/a",
      ok: false,
      error: { message: expect.stringMatching(/^EIO: /), code: "EIO" },
    });
    await mongod.restart();
    await untilAnswers(memory);
    expect(JSON.parse(await tool.invoke({ path: "/a", command: "append", content: "x" }))).toMatchObject({ ok: true });
  });

  // Requirement: guarantees.no-unhandled-rejection
  it("leaves no unhandled rejection", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const store = new MongoMemoryStore({ client, dbName: "rejections" });
    const memory = store.memory(freshAddress());
    await untilAnswers(memory);
    await memory.append("/a", "x");
    const begun = [memory.append("/a", "y"), memory.edit("/a", (text) => text), memory.rename("/a", "/b"), store.put(["a"], "k", {})];
    await Promise.all([Promise.allSettled(begun), mongod.kill()]);
    const late = [memory.read("/a"), memory.append("/a", "z"), memory.edit("/a", (text) => text), store.start(), store.get(["a"], "k")];
    expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(late.map(() => "rejected"));
    // Jest fails a test during which a rejection goes unhandled.
    await sleep(50);
  });

  // Requirement: mongodb.owned-client-is-closed
  it("stop closes the client that fromConnString made, and leaves one that was passed in open", async () => {
    const { uri, name, client } = testDatabase("standalone");
    const store = await MongoMemoryStore.fromConnString(uri, { dbName: name });
    await store.memory(freshAddress()).append("/a", "x");
    await store.stop();
    expect((await failureOf(store.memory(freshAddress()).append("/a", "x"))).code).toBe("EIO");
    await new MongoMemoryStore({ client, dbName: name }).stop();
    await new MongoMemoryStore({ client, dbName: name }).memory(freshAddress()).append("/a", "x");
  });

  // Requirement: mongodb.stopped
  it("after stop every call of a store that owns its client is refused", async () => {
    const { uri, name } = testDatabase("standalone");
    const store = await MongoMemoryStore.fromConnString(uri, { dbName: name });
    const memory = store.memory(freshAddress());
    await memory.append("/a", "x");
    await store.put(["a"], "k", {});
    await Promise.all([store.stop(), store.stop()]);
    await store.stop();
    const calls = [
      () => store.start(),
      () => store.get(["a"], "k"),
      () => store.search([]),
      () => store.listNamespaces(),
      () => store.put(["a"], "k", {}),
      () => store.delete(["a"], "k"),
      () => store.get(["memory", "a", "global"], "/a"),
      () => memory.read("/a"),
      () => memory.append("/a", "x"),
      () => store.memory(freshAddress()).snapshot(),
    ];
    for (const call of calls) expect(await failureOf(call())).toMatchObject({ code: "EIO", message: expect.stringMatching(/store is stopped/) });
  });

  it("a store refuses calls after its user closed the client, and works again when the user connects it", async () => {
    const { uri, name } = testDatabase("standalone");
    const client = useClient(new MongoClient(uri));
    const store = new MongoMemoryStore({ client, dbName: name });
    const memory = store.memory(freshAddress());
    await memory.append("/a", "x");
    await store.put(["a"], "k", { n: 1 });
    await client.close();
    for (const call of [() => memory.read("/a"), () => memory.append("/a", "y"), () => store.get(["a"], "k"), () => store.put(["a"], "k", {})]) {
      expect(await failureOf(call())).toMatchObject({ code: "EIO", message: expect.stringContaining("the client is closed") });
    }
    await client.connect();
    expect(await memory.read("/a")).toBe("x");
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 1 });
  });

  // Requirement: mongodb.bad-connection-strings
  it("fromConnString fails with EIO that does not repeat the string, and leaves nothing open", async () => {
    const uri = "mongodb://user:secret-password@127.0.0.1:9/db?serverSelectionTimeoutMS=200";
    const error = await failureOf(MongoMemoryStore.fromConnString(uri));
    expect(error.code).toBe("EIO");
    expect(error.message).not.toMatch(/secret|127|user/);
    await expect(MongoMemoryStore.fromConnString("not a uri with secret")).rejects.toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.not.stringContaining("secret") }),
    );
  });
});
