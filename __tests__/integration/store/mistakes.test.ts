import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();

function openStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, ...options });
}

describe("a mistake of a program is explained", () => {
  it.each(["$and", "$or", "$nor"])("%s in the filter of a search of items", async (operator) => {
    const store = openStore();
    await store.put(["users"], "ada", { role: "admin" });
    await expect(store.search(["users"], { filter: { [operator]: [{ role: "admin" }] } })).rejects.toMatchObject({
      code: "EINVAL",
      message: `a filter has fields with conditions, which must all be true; it cannot have ${operator}`,
    });
  });

  it("a listed address of another scope that gets the id of a user", async () => {
    const store = openStore();
    await store.memory(freshAddress()).write("/a", "text");
    const open = async (): Promise<Memory> => {
      for await (const { address } of store.listMemories()) return store.memory({ ...address, userId: "ada" } as never);
      throw new Error("no memory is listed");
    };
    await expect(open()).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching(/an address of scope "global" has no userId; did you mean "perUser"\?/),
    });
  });

  it("a listed address of a thread that gets the id of a user", async () => {
    const store = openStore();
    const { nodeId } = freshAddress();
    await store.memory({ nodeId, scope: "perThread", threadId: "t" }).write("/a", "text");
    for await (const { address } of store.listMemories({ nodeId }))
      expect(() => store.memory({ ...address, userId: "ada" } as never)).toThrow(
        'an address of scope "perThread" has no userId; did you mean "perUser"?',
      );
    expect.assertions(1);
  });

  it("a listed address of a user takes the id of another user", async () => {
    const store = openStore();
    const { nodeId } = freshAddress();
    await store.memory({ nodeId, scope: "perUser", userId: "ada" }).write("/a", "hers");
    await store.memory({ nodeId, scope: "perUser", userId: "bob" }).write("/a", "his");
    const texts: string[] = [];
    for await (const { address } of store.listMemories({ nodeId, userId: "ada" }))
      if (address.scope === "perUser") texts.push(await store.memory({ ...address, userId: "bob" }).read("/a"));
    expect(texts).toEqual(["his"]);
  });
});
