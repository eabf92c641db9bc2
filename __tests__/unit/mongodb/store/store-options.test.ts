import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../../src/index.js";

const client = new MongoClient("mongodb://127.0.0.1:9");

describe("the names of a store", () => {
  it.each([
    [{ dbName: "a.b" }, 'dbName: must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $ (given "a.b")'],
    [{ dbName: "" }, "dbName: must have 1 to 63 bytes"],
    [{ dbName: "ä".repeat(32) }, "dbName: must have 1 to 63 bytes"],
    [{ dbName: "a\0b" }, "dbName: must have 1 to 63 bytes"],
    [{ memoriesCollection: "a$b" }, "memoriesCollection: must have 1 to 255 bytes"],
    [{ memoriesCollection: "a..b" }, "memoriesCollection: must have 1 to 255 bytes"],
    [{ itemsCollection: "system.items" }, "itemsCollection: must have 1 to 255 bytes"],
  ])("%j are refused", (names, message) => {
    expect(() => new MongoMemoryStore({ client, ...names })).toThrow(TypeError);
    expect(() => new MongoMemoryStore({ client, ...names })).toThrow(message);
  });

  it.each([{ dbName: "a:b-c_d", memoriesCollection: "a.b", itemsCollection: "systems.x" }])("%j are taken", (names) => {
    expect(new MongoMemoryStore({ client, ...names })).toBeInstanceOf(MongoMemoryStore);
  });

  it("in a connection string are refused without repeating it", async () => {
    const uri = "mongodb://user:secret@127.0.0.1:9/a.b";
    const refused = {
      name: "TypeError",
      message:
        "the name of the database in the MongoDB connection string must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $; correct it",
    };
    await expect((async () => new MongoMemoryStore({ client: new MongoClient(uri) }))()).rejects.toMatchObject(refused);
    await expect(MongoMemoryStore.fromConnString(uri)).rejects.toMatchObject(refused);
  });
});

describe("a store", () => {
  it("shows no member that is not for its users", () => {
    const members = Object.getOwnPropertyNames(MongoMemoryStore.prototype).toSorted();
    expect(members).toEqual([
      "batch",
      "constructor",
      "delete",
      "forget",
      "get",
      "listMemories",
      "listNamespaces",
      "listProposals",
      "memory",
      "put",
      "search",
      "start",
      "stop",
      "sweepExpired",
    ]);
  });
});
