import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import {
  Agent,
  CallModelNode,
  MemoryConnectorNode,
  MemoryNode,
  createMemoryPrompt,
  logConversation,
  mergeMemories,
  MongoMemoryStore,
  openMemory,
} from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { storageError } from "../../../src/mongodb/driver/errors.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const notes = openMemory(store, freshAddress());
const connector = new MemoryNode({ ...freshAddress(), store }).createConnector();

describe("what an error says", () => {
  it("of an unknown option: which one, and which was probably meant", () => {
    expect(() => new MemoryNode({ node: "a", store } as never)).toThrow(
      'invalid MemoryNodeOptions: unknown option "node"; "nodeId" was probably meant',
    );
    expect(() => new MemoryNode({ nodeId: "a", storr: store } as never)).toThrow(
      'unknown option "storr"; "store" was probably meant',
    );
  });

  it("of a wrong rule of names: which rules there are", () => {
    expect(() => openMemory(store, freshAddress(), { paths: "none" } as never)).toThrow(
      'invalid MemoryOptions: paths: must be "plain" or "posix" (given "none")',
    );
  });

  it("of an unknown option that is near to none: which ones there are", () => {
    expect(() => openMemory(store, freshAddress(), { colour: 1 } as never)).toThrow(
      'invalid MemoryOptions: unknown option "colour" (the options are paths, maxFileBytes, maxMemoryBytes, timeoutMs, searchWords)',
    );
  });

  it.each([
    ["memoryMiddleware", () => memoryMiddleware(undefined as never), /memoryMiddleware: memory must be a MemoryNode/],
    [
      "MemoryConnectorNode",
      () => new MemoryConnectorNode(undefined as never),
      /MemoryConnectorNode: memory must be a MemoryNode/,
    ],
    ["CallModelNode", () => new CallModelNode(undefined as never), /CallModelNode: model must be a chat model/],
    ["Agent", () => new Agent(undefined as never), /CallModelNode: model must be a chat model/],
    [
      "createMemoryPrompt",
      () => createMemoryPrompt(undefined as never),
      /createMemoryPrompt: connector must be a MemoryConnectorNode or a MemoryNode/,
    ],
    ["MemoryNode", () => new MemoryNode(undefined as never), /invalid MemoryNodeOptions: they are missing/],
  ])("of missing options, what is needed: %s", (_name, run, message) => {
    expect(run).toThrow(TypeError);
    expect(run).toThrow(message);
  });

  it.each([
    ["with", () => notes.with(null as never), /^invalid MemoryUse: .*object, received null/],
    ["inject", () => connector.inject(undefined as never), /^inject: messages must be a list of messages \(given und/],
    ["logConversation", () => logConversation(notes, "x" as never), /^logConversation: messages must be a list/],
    ["mergeMemories", () => mergeMemories(notes, {} as never), /^mergeMemories: into must be a Memory .*an object/],
  ])("of an argument that is none: what is needed, and not what JavaScript says: %s", async (_name, run, message) => {
    const call = Promise.resolve().then<unknown>(run);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
  });

  it("of a connection string that is not there: that, and not that it is malformed", async () => {
    const uri = process.env["NO_SUCH_VARIABLE"] as string;
    const missing =
      "the MongoDB connection string is missing (given undefined); set the environment variable that contains it";
    await expect(MongoMemoryStore.fromConnString(uri)).rejects.toThrow(new TypeError(missing));
    await expect(MemoryDatabase.connect({ uri: "" })).rejects.toThrow(
      "connection string is missing (given an empty text)",
    );
  });

  it("of a path: the path, in code, for each refusal of a call on one path", async () => {
    const memory = openMemory(store, freshAddress(), { paths: "plain" });
    await memory.write("/dir/file", "x");
    const refused = (path: string, code: string) => expect.objectContaining({ code, path });
    await expect(memory.read("missing/")).rejects.toEqual(refused("/missing", "ENOENT"));
    await expect(memory.read("/notes.txt")).rejects.toEqual(refused("/notes.txt", "EINVAL"));
    await expect(memory.append("/dir", "x")).rejects.toEqual(refused("/dir", "EISDIR"));
    await expect(memory.list("/dir/file")).rejects.toEqual(refused("/dir/file", "ENOTDIR"));
    await expect(memory.delete("/dir", { ifDirectory: "fail" })).rejects.toEqual(refused("/dir", "EISDIR"));
    await memory.write("/other", "x");
    await expect(memory.rename("/gone", "/new")).rejects.toEqual(refused("/gone", "ENOENT"));
    await expect(memory.rename("/other", "/dir")).rejects.toEqual(refused("/dir", "EEXIST"));
    await expect(memory.rename("/other", "/dir/file/new")).rejects.toEqual(refused("/dir/file/new", "ENOTDIR"));
    await expect(memory.read("/missing")).rejects.toThrow(/^ENOENT: file not found$/);
  });

  it("of a server that has answered: not that it did not", () => {
    const answered = { name: "MongoServerError", code: 50, codeName: "MaxTimeMSExpired" };
    expect(storageError(answered, "read", null).message).toBe(
      "EIO: MongoDB did not finish the read (MaxTimeMSExpired, code 50)",
    );
    const unsatisfied = { name: "MongoWriteConcernError", code: 64, codeName: "WriteConcernFailed" };
    expect(storageError(unsatisfied, "write", null).message).toBe(
      "EIO: MongoDB did not finish the write (WriteConcernFailed, code 64); the outcome is unknown",
    );
  });

  it("of an item that is too large for MongoDB: no limit of 0 bytes", () => {
    const error = storageError({ name: "MongoServerError", code: 10334 }, "write", null);
    expect([error.code, error.message]).toEqual([
      "EFBIG",
      "EFBIG: the item, with the data that is stored beside its value, would be larger than a document of MongoDB can be",
    ]);
  });
});
