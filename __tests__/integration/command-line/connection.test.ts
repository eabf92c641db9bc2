import { createServer, type AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "@jest/globals";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri } = testDatabase();
/** Takes connections, and says nothing. It reads, or a connection that its client has closed would stay open. */
const silent = createServer((socket) => socket.on("error", () => undefined).resume()).listen(0);

afterAll(() => {
  silent.close();
});

async function createOptions(given: string): Promise<Record<string, unknown>> {
  const database = await MemoryDatabase.connect({ uri: given });
  const { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS } = database.client.options;
  await database.close();
  return { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS };
}

describe("the connection of the command line", () => {
  it("waits for a server a few seconds, unless its string says otherwise", async () => {
    expect(await createOptions(uri)).toEqual({
      serverSelectionTimeoutMS: 5000,
      connectTimeoutMS: 5000,
      socketTimeoutMS: 30_000,
    });
    const own = `${uri}${uri.includes("?") ? "&" : "?"}serverSelectionTimeoutMS=40000&connectTimeoutMS=6000&sockettimeoutms=0`;
    expect(await createOptions(own)).toEqual({
      serverSelectionTimeoutMS: 40_000,
      connectTimeoutMS: 6000,
      socketTimeoutMS: 0,
    });
  });

  it("fails where a server takes it and never answers", async () => {
    const { port } = silent.address() as AddressInfo;
    await expect(
      MemoryDatabase.connect({ uri: `mongodb://127.0.0.1:${port}/?serverSelectionTimeoutMS=50&connectTimeoutMS=50` }),
    ).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: MongoDB did not answer (no server could be selected in time)",
    });
  });

  it("says that the name of a mongodb+srv string does not resolve", async () => {
    await expect(MemoryDatabase.connect({ uri: "mongodb+srv://user:secret@missing.invalid/" })).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: MongoDB did not answer (the name in the connection string does not resolve)",
    });
  });
});
