import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Db, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { failCommands } from "../../helpers/fail-commands.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { freePort, type PrivateMongod } from "../../helpers/mongo-servers.js";
import { getFailure } from "../../helpers/get-failure.js";
import { memoryChanges, memoryReads, storeCalls } from "../../helpers/store-calls.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

async function listIndexes(db: Db, collection: string): Promise<unknown[]> {
  return (await db.collection(collection).indexes()).map(({ name }) => name);
}

describe("a MongoDB that goes away", () => {
  const ownIndexes = ["uniq_global", "uniq_per_thread"];
  /** Each test but the last leaves it as it was. */
  let mongod: PrivateMongod;

  beforeAll(async () => {
    mongod = await privateMongod("standalone");
  });

  it("makes every command EIO until it is back, with nothing of hosts or stacks in the message", async () => {
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
    for (const error of await Promise.all(commands.map((command) => getFailure(command())))) {
      expect(error.code).toBe("EIO");
      expect(error.message).toMatch(/^EIO: MongoDB did not answer \([\w ]+\)(; the outcome is unknown)?$/);
      expect(error.cause).toBeInstanceOf(Error);
    }
    await mongod.restart();
    await untilAnswers(memory);
    expect(await memory.read("/notes/today")).toBe("before");
    await memory.append("/notes/today", "after");
  });

  it("at first use is EIO, and the indexes are made once it is there", async () => {
    await mongod.kill();
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const store = new MongoMemoryStore({ client, dbName: "late" });
    const memory = store.memory(freshAddress());
    expect((await getFailure(memory.append("/a", "x"))).code).toBe("EIO");
    expect((await getFailure(store.start())).code).toBe("EIO");
    await mongod.restart();
    await untilAnswers(memory);
    await memory.append("/a", "x");
    expect(await listIndexes(client.db("late"), "memories")).toEqual(expect.arrayContaining(ownIndexes));
  });

  it("that fails once at making the indexes fails one call, and the next one makes them", async () => {
    const client = useClient(new MongoClient(mongod.uri));
    const store = new MongoMemoryStore({ client, dbName: "once" });
    const outOfDiskSpace = 14031;
    const memory = store.memory(freshAddress());
    for (const write of [() => memory.append("/a", "x"), () => store.put(["a"], "k", {})]) {
      await failCommands(client, { failCommands: ["createIndexes"], errorCode: outOfDiskSpace }, 1);
      expect((await getFailure(write())).message).toContain(String(outOfDiskSpace));
      await write();
    }
    expect(await listIndexes(client.db("once"), "memories")).toEqual(expect.arrayContaining(ownIndexes));
    expect(await listIndexes(client.db("once"), "items")).toContain("items_by_namespace");
  });

  it("that has no majority reads says how to start the server", async () => {
    const client = useClient(new MongoClient(mongod.uri));
    await failCommands(client, { failCommands: ["aggregate", "find"], errorCode: 148 }, 1);
    const { message } = await getFailure(
      new MongoMemoryStore({ client, dbName: "ram" }).memory({ nodeId: "a" }).list(),
    );
    expect(message).toBe(
      "EIO: MongoDB refused to read (ReadConcernMajorityNotEnabled, code 148); start the server with the storage " +
        "engine wiredTiger",
    );
  });

  it("that hangs makes commands EIO within the timeouts of the client", async () => {
    const address = freshAddress();
    const patient = new MongoMemoryStore({
      client: useClient(new MongoClient(mongod.uri)),
      dbName: "hang",
    }).memory(address);
    await patient.append("/a", "x");
    const client = useClient(
      new MongoClient(mongod.uri, { socketTimeoutMS: 500, connectTimeoutMS: 500, serverSelectionTimeoutMS: 500 }),
    );
    const memory = new MongoMemoryStore({ client, dbName: "hang" }).memory(address);
    await untilAnswers(memory);
    await mongod.pause();
    try {
      // The change first, on the connection that is open.
      const [change, read] = [await getFailure(memory.append("/a", "y")), await getFailure(memory.read("/a"))];
      expect([read.code, change.message]).toEqual(["EIO", expect.stringContaining("the outcome is unknown")]);
    } finally {
      mongod.resume();
    }
    await untilAnswers(memory);
    await patient.append("/a", "z");
    expect(await patient.read("/a")).toMatch(/^x\n(y\n)?z$/);
  });

  it("leaves no unhandled rejection", async () => {
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const store = new MongoMemoryStore({ client, dbName: "rejections" });
    const memory = store.memory(freshAddress());
    await untilAnswers(memory);
    await memory.append("/a", "x");
    const begun = [
      memory.append("/a", "y"),
      memory.edit("/a", (text) => text),
      memory.rename("/a", "/b"),
      store.put(["a"], "k", {}),
    ];
    await Promise.all([Promise.allSettled(begun), mongod.kill()]);
    const late = [
      memory.read("/a"),
      memory.append("/a", "z"),
      memory.edit("/a", (text) => text),
      store.start(),
      store.get(["a"], "k"),
    ];
    expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(late.map(() => "rejected"));
    // Jest fails a test during which a rejection goes unhandled.
    await sleep(50);
  });
});

describe("a store", () => {
  it("that is stopped closes the client that fromConnString made, refuses every call, and leaves one that was passed in open", async () => {
    const { uri, name, client } = testDatabase("standalone");
    const store = await MongoMemoryStore.fromConnString(uri, { dbName: name, history: true });
    const memory = store.memory(freshAddress());
    await memory.append("/a", "x");
    await Promise.all([store.stop(), store.stop()]);
    await store.stop();
    const calls = [
      ...Object.values(storeCalls).map((call) => () => call(store)),
      ...Object.values({ ...memoryReads, ...memoryChanges }).map((call) => () => call(memory)),
      () => store.memory(freshAddress()).snapshot(),
    ];
    const refused = { code: "EIO", message: expect.stringMatching(/store is stopped/) };
    for (const call of calls) expect(await getFailure(call())).toMatchObject(refused);
    await new MongoMemoryStore({ client, dbName: name }).stop();
    await new MongoMemoryStore({ client, dbName: name }).memory(freshAddress()).append("/a", "x");
  });

  it("refuses calls after its user closed the client, and works again when the user connects it", async () => {
    const { uri, name } = testDatabase("standalone");
    const client = useClient(new MongoClient(uri));
    const store = new MongoMemoryStore({ client, dbName: name });
    const memory = store.memory(freshAddress());
    await memory.append("/a", "x");
    await store.put(["a"], "k", { n: 1 });
    await client.close();
    for (const call of [
      () => memory.read("/a"),
      () => memory.append("/a", "y"),
      () => store.get(["a"], "k"),
      () => store.put(["a"], "k", {}),
    ]) {
      expect(await getFailure(call())).toMatchObject({
        code: "EIO",
        message: expect.stringContaining("the client is closed"),
      });
    }
    await client.connect();
    expect(await memory.read("/a")).toBe("x");
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 1 });
  });

  it("of a connection string that is no good fails with EIO that does not repeat the string, and leaves nothing open", async () => {
    const uri = "mongodb://user:secret-password@127.0.0.1:9/db?serverSelectionTimeoutMS=200";
    const error = await getFailure(MongoMemoryStore.fromConnString(uri));
    expect(error.code).toBe("EIO");
    expect(error.message).not.toMatch(/secret|127|user/);
    await expect(MongoMemoryStore.fromConnString("not a uri with secret")).rejects.toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.not.stringContaining("secret") }),
    );
  });
});

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/**
 * A first connection gets 4.5 s of a long time limit. The driver goes on looking for a server, and a client is closed only
 * after that, so it does not get its usual 30 s.
 */
const storeOf = (uri: string): MongoMemoryStore =>
  new MongoMemoryStore({
    client: useClient(new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 })),
    history: true,
    expireMs: { perUser: 1_000_000 },
    timeoutMs: 60_000,
  });

async function listen(answer: string): Promise<number> {
  // It reads, or a connection that its client has closed would stay open.
  const server = createServer((socket) =>
    socket
      .on("error", () => undefined)
      .resume()
      .end(answer),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const nothingListens =
  "EIO: MongoDB did not answer (ECONNREFUSED: nothing listens there); start MongoDB, or correct the connection string";

const allCalls = [
  ...Object.entries(storeCalls),
  ...Object.entries({ ...memoryReads, ...memoryChanges }).map(
    ([name, call]) => [name, (store: MongoMemoryStore) => call(store.memory({ nodeId: "a" }))] as const,
  ),
];

describe("the first call of a store", () => {
  it("says within 5 s that nothing listens, and names the host in the cause alone, whichever call it is", async () => {
    const port = await freePort();
    const answers = allCalls.map(async ([name, call]) => {
      const { message, cause } = await getFailure(call(storeOf(`mongodb://127.0.0.1:${port}/`)));
      return [name, message, String(cause).includes(`127.0.0.1:${port}`)];
    });
    expect(await Promise.all(answers)).toEqual(allCalls.map(([name]) => [name, nothingListens, true]));
  });

  it("says that a name does not resolve", async () => {
    const { message } = await getFailure(storeOf("mongodb://missing.invalid/").start());
    expect(message).toMatch(
      /^EIO: MongoDB did not answer \(\w+: the name does not resolve\); correct the connection string$/,
    );
  });

  it("says that TLS failed", async () => {
    const { message } = await getFailure(storeOf(`mongodb://127.0.0.1:${await listen("no TLS")}/?tls=true`).start());
    expect(message).toMatch(/^EIO: MongoDB did not answer \(\w+: TLS failed\); check the certificates/);
  });

  it("says that a server without TLS closed the connection, and names the host in the cause", async () => {
    const { uri } = testDatabase("standalone");
    const { message, cause } = await getFailure(storeOf(`${uri}?tls=true`).start());
    expect(message).toMatch(
      /^EIO: MongoDB did not answer \(ECONNRESET: it closed the connection before TLS began\); if/,
    );
    expect(message).toContain("if the server has no TLS, leave tls out of the connection string");
    expect(String(cause)).toContain(new URL(uri).host);
  });

  it("says that the login was refused", async () => {
    const { uri } = testDatabase();
    const { message } = await getFailure(storeOf(uri.replace("mongodb://", "mongodb://nobody:wrong@")).start());
    expect(message).toBe(
      "EIO: MongoDB refused to read (AuthenticationFailed, code 18); check the user, the password and authSource",
    );
  });
});
