import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { getFailure } from "../../helpers/get-failure.js";
import { freePort } from "../../helpers/mongo-servers.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { memoryChanges, memoryReads, storeCalls } from "../../helpers/store-calls.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/**
 * @param timeoutMs the limit of a first connection is nine tenths of it, and at most 4.5 s. The driver goes on looking
 *   for a server, and a client is closed only after that, so it does not get its usual 30 s
 */
const storeOf = (uri: string, timeoutMs = 2000): MongoMemoryStore =>
  new MongoMemoryStore({
    client: useClient(new MongoClient(uri, { serverSelectionTimeoutMS: 2 * timeoutMs })),
    history: true,
    expireMs: { perUser: 1_000_000 },
    timeoutMs,
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
  it("says that nothing listens, and names the host in the cause alone", async () => {
    const port = await freePort();
    const store = storeOf(`mongodb://127.0.0.1:${port}/`);
    const memory = store.memory({ nodeId: "a" });
    for (const call of [() => memory.read("/a"), () => memory.append("/a", "x"), () => store.put(["a"], "k", {})]) {
      const { code, message, cause } = await getFailure(call());
      expect(code).toBe("EIO");
      expect(message).toBe(nothingListens);
      expect(String(cause)).toContain(`127.0.0.1:${port}`);
    }
  });

  it("says so within 5 s whichever call it is", async () => {
    const port = await freePort();
    const answers = allCalls.map(async ([name, call]) => {
      // So many clients at once need some of the time.
      const { message, cause } = await getFailure(call(storeOf(`mongodb://127.0.0.1:${port}/`, 5000)));
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

  it("is answered once the server is there", async () => {
    const mongod = await privateMongod("standalone");
    await mongod.kill();
    const memory = storeOf(mongod.uri).memory({ nodeId: "a" });
    expect((await getFailure(memory.append("/a", "x"))).message).toContain("ECONNREFUSED");
    await mongod.restart();
    await untilAnswers(memory);
    await memory.append("/a", "x");
    expect(await memory.read("/a")).toBe("x");
  });
});
