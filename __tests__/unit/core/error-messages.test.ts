import { describe, expect, it } from "@jest/globals";
import { fakeModel } from "@langchain/core/testing";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { z as z4 } from "zod";
import { z as z3 } from "zod/v3";
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
  tidy,
} from "../../../src/index.js";
import { moveIn } from "../../../src/move-in/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { storageError } from "../../../src/mongodb/driver/errors.js";
import { checkOptions } from "../../../src/core/settings/check-options.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const model = fakeModel();
const notes = openMemory(store, freshAddress());
const connector = new MemoryNode({ ...freshAddress(), store }).createConnector();

describe("what an error says", () => {
  const node = new MemoryNode({ nodeId: "a", store });
  const createStore = (options: object) => () =>
    new MongoMemoryStore({ client: { db: () => undefined }, ...options } as never);

  it.each<[what: string, create: () => unknown, message: string]>([
    [
      "a name",
      () => new MemoryNode({ storr: store } as never),
      'MemoryNodeOptions: unknown option "storr"; "store" was',
    ],
    [
      "a rule of names",
      () => openMemory(store, freshAddress(), { paths: "none" } as never),
      'MemoryOptions: paths: must be "plain" or "posix" (given "none")',
    ],
    [
      "a name that is near to none",
      () => openMemory(store, freshAddress(), { colour: 1 } as never),
      'MemoryOptions: unknown option "colour" (the options are paths, maxFileBytes, maxMemoryBytes, timeoutMs, searchWords)',
    ],
    [
      "the middleware",
      () => memoryMiddleware({ memory: node, logs: true } as never),
      'MemoryMiddlewareOptions: unknown option "logs"; "log" was probably meant',
    ],
    [
      "a log",
      () => memoryMiddleware({ memory: node, log: "true" } as never),
      "ConversationLogOptions: they are no object; expected an object { path, timeZone, keepDays }",
    ],
    ["an Agent", () => new Agent({ model, logs: true } as never), 'AgentOptions: unknown option "logs"; "log" was'],
    [
      "no options",
      () => new Agent(undefined as never),
      "AgentOptions: they are missing; expected an object { model, tools",
    ],
    [
      "a CallModelNode",
      () => new CallModelNode({ model, tool: [] } as never),
      'CallModelNodeOptions: unknown option "tool"; "tools" was',
    ],
    [
      "a prompt",
      () => createMemoryPrompt({ connector: node, prompt: "Hi" } as never),
      'MemoryPromptOptions: unknown option "prompt" (the options are connector, systemPrompt, tools)',
    ],
    [
      "a history",
      createStore({ history: { keepVersion: 1 } }),
      'unknown option "history.keepVersion"; "history.keepVersions" was probably meant',
    ],
    [
      "expiry",
      createStore({ expireMs: { threads: 1 } }),
      'unknown option "expireMs.threads" (the options are perThread, perUser, global)',
    ],
    [
      "a text index",
      createStore({ textSearch: { words: "x" } }),
      'unknown option "textSearch.words" (the options are language)',
    ],
    [
      "a namespace",
      createStore({ ttl: { namespaces: [{ prefix: ["a"], ttlMs: 1, sliding: true }] } }),
      'unknown option "ttl.namespaces.0.sliding" (the options are prefix, ttlMs)',
    ],
  ])("of a wrong option: which one, and which ones there are: %s", (_what, create, message) => {
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).toThrow(/^invalid \w+Options: /);
  });

  it.each([
    ["memoryMiddleware", () => memoryMiddleware(undefined as never), "memory must be a MemoryNode"],
    ["MemoryConnectorNode", () => new MemoryConnectorNode(undefined as never), "memory must be a MemoryNode"],
    ["CallModelNode", () => new CallModelNode(undefined as never), "model must be a chat model"],
    [
      "createMemoryPrompt",
      () => createMemoryPrompt(undefined as never),
      "connector must be a MemoryConnectorNode or a MemoryNode",
    ],
  ])("of missing options, what is needed: %s", (name, run, message) => {
    expect(run).toThrow(TypeError);
    expect(run).toThrow(`${name}: ${message}`);
  });

  it.each([
    ["zod 3", z3 as unknown as typeof z4],
    ["zod 4", z4],
  ])("of an option inside others, whatever wraps the object in %s: which ones it has", (_name, z) => {
    const inner = z.object({ one: z.string().optional() }).strict();
    const schema = z
      .object({
        a: inner.optional(),
        b: inner.default({}),
        c: z.union([z.boolean(), inner]).nullable(),
        d: z.array(inner.refine(() => true)),
      })
      .strict()
      .refine(() => true);
    const bad = { a: { two: 1 }, b: { two: 1 }, c: { two: 1 }, d: [{ two: 1 }] };
    expect(() => checkOptions("Options", schema, bad)).toThrow(
      `invalid Options: ${["a", "b", "c", "d.0"]
        .map((place) => `unknown option "${place}.two" (the options are one)`)
        .join("; ")}`,
    );
  });

  it("of a text in place of options: what they are, and nothing of the text", () => {
    const create = () => new MongoMemoryStore("mongodb://ada:secret@host/" as never);
    expect(create).toThrow(/^invalid MongoMemoryStoreOptions: they are no object; expected an object \{ client, /);
    expect(create).not.toThrow(/secret/);
  });

  it("of a node in place of a memory: how to get one", async () => {
    const given = node as never;
    const memory = openMemory(store, freshAddress());
    const advice = "must be a Memory (openMemory, store.memory, node.memory)";
    await expect(logConversation(given, [])).rejects.toThrow(`logConversation: memory ${advice}`);
    await expect(mergeMemories(given, memory)).rejects.toThrow(`mergeMemories: the first memory ${advice}`);
    await expect(mergeMemories(memory, given)).rejects.toThrow(`mergeMemories: the second memory ${advice}`);
    await expect(tidy(given)).rejects.toThrow(`tidy: memory ${advice}`);
    await expect(moveIn(given, [])).rejects.toThrow(`moveIn: memory ${advice}`);
  });

  it("of a text in place of messages: that they are a list", async () => {
    const logged = logConversation(openMemory(store, freshAddress()), "Hi" as never);
    await expect(logged).rejects.toThrow(new TypeError('messages must be a list of messages (given "Hi")'));
  });

  it("of an unknown field of an address: which fields there are", () => {
    expect(() => openMemory(store, { nodeId: "a", user: "ada" } as never)).toThrow(
      "unknown field of a memory address: user; the fields are nodeId, scope, threadId, userId",
    );
  });

  it.each([
    ["with", () => notes.with(null as never), /^invalid MemoryUse: they are no object; expected an object/],
    ["inject", () => connector.inject(undefined as never), /^messages must be a list of messages \(given undefined\)/],
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
