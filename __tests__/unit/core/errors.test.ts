import { describe, expect, it } from "@jest/globals";
import { fakeModel } from "@langchain/core/testing";
import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
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
  mountMemories,
  buildGraph,
  MemoryTool,
} from "../../../src/index.js";
import { moveIn } from "../../../src/move-in/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { storageError } from "../../../src/mongodb/driver/errors.js";
import { checkOptions } from "../../../src/core/settings/check-options.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { freshAddress, untyped } from "../../helpers/memory-case.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { createAiMemory } from "../../../src/ai-sdk/index.js";
import { claudeMemoryHandlers } from "../../../src/langchain/claude/index.js";
import { applyChange, MemoryTree, openMemoryOver } from "../../../src/custom-backend/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { defineMemorySuite } from "../../../src/testing/index.js";

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

/** A store that reads, and fails to write. */
class LosingStore extends InMemoryStore {
  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    if (operations.some((operation) => "value" in operation)) throw new Error("lost");
    return super.batch(operations);
  }
}

const memory = freshMemory();

describe("the details of an error", () => {
  it.each([
    ["/a/../b", "climbs"],
    ["/a/%2e%2e/b", "climbs"],
    ["/a/./b", "other"],
    ["/a\nb", "other"],
    ["/a /b", "other"],
  ])("say that %j is no path, and whether it climbs", async (path, invalidPath) => {
    await expect(memory.write(path, "x")).rejects.toMatchObject({ code: "EINVAL", details: { invalidPath } });
  });

  it("are missing where the path is right and another argument is wrong", async () => {
    await expect(memory.write("/a", 1 as never)).rejects.not.toHaveProperty("details");
  });

  it("say of a failed change, and of no failed read, that its outcome is unknown", async () => {
    const away = new FailingStore();
    away.isAway = true;
    const failing = openMemory(away, freshAddress());
    await expect(failing.read("/a")).rejects.not.toHaveProperty("details");
    await expect(openMemory(new LosingStore(), freshAddress()).write("/a", "x")).rejects.toMatchObject({
      code: "EIO",
      details: { outcomeUnknown: true },
    });
  });

  it("stay where a path is placed in a tree of mounts", async () => {
    const away = new FailingStore();
    const tree = mountMemories({ "/": memory, "/team": openMemory(away, freshAddress()) });
    await expect(tree.write("/team/a /b", "x")).rejects.toMatchObject({
      path: "/team/a /b",
      details: { invalidPath: "other" },
    });
  });
});

/** Returns the message of what is thrown. */
function findMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

const manyKeys = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
const many = Array.from({ length: 10_000 }, () => 1);
const long = "k".repeat(1_000_000);

describe("a message about ten thousand faults", () => {
  it("names the first few options, and says how many more there are", () => {
    const open = (options: object) => findMessage(() => openMemory(store, { nodeId: "n" }, options));
    const message = open(manyKeys);
    expect(message).toMatch(
      /^invalid MemoryOptions: unknown option "k0" \(the options are paths, .*\); .*; and 9995 more$/,
    );
    expect(message.length).toBeLessThan(1000);
    expect(findMessage(() => new MemoryTool({ commands: many as never }))).toMatch(
      /^invalid MemoryToolOptions: commands\.0: .*commands\.4: .*; and 9995 more$/,
    );
    expect(open({ [long]: 1 }).length).toBeLessThan(400);
    expect(open({ paths: long }).length).toBeLessThan(300);
  });

  it("names a hundred faults of a definition of a graph", () => {
    const build = (definition: object) =>
      findMessage(() => buildGraph(definition as never, { store, model: new ScriptedChatModel(() => "done") }));
    const node = { id: "M", data: { template: "memory", config: manyKeys } };
    for (const definition of [
      { nodes: [node], edges: [] },
      { nodes: many, edges: [] },
    ]) {
      const message = build(definition);
      expect(message).toMatch(/\n- and 9900 more\.$/);
      expect(message.length).toBeLessThan(50_000);
    }
  });
});

const rightMemory = openMemory(store, { nodeId: "n" });
const node = new MemoryNode({ store, nodeId: "n" });
const rightConnector = node.createConnector();
const rightModel = new ScriptedChatModel(() => "Hi");
const caller = new CallModelNode({ model: rightModel });
const files = new DeepAgentsBackend(rightMemory);
const change = { type: "write", path: "/a", content: "x", ifExists: "replace", ifMissing: "create" };

type Call = (argument: never) => unknown;

/** Each function with the words about its argument. */
const functions: [name: string, call: Call, expected: string][] = [
  ["outline of a memory", (options) => rightMemory.outline(options), "invalid OutlineOptions"],
  [
    "outline of a tree of mounts",
    (options) => mountMemories({ "/": rightMemory }).outline(options),
    "invalid OutlineOptions",
  ],
  ["memoryForRun", (run) => node.memoryForRun(run), "run must be an object { config, threadId?, userId? }"],
  ["createConnector", (config) => node.createConnector(config), "invalid MemoryConnectorConfig"],
  ["renderMessage", (run) => rightConnector.renderMessage(run), "renderMessage: run must be an object"],
  ["Agent", (options) => new Agent(options), "invalid AgentOptions"],
  ["addTool", (tool) => caller.addTool(tool), "addTool: tool must be a tool with a name"],
  ["removeTool", (tool) => caller.removeTool(tool), "removeTool: tool must be a tool or its name"],
  ["setSystemPrompt", (prompt) => caller.setSystemPrompt(prompt), "the system prompt must be a text"],
  [
    "createMemoryPrompt",
    (systemPrompt) => createMemoryPrompt({ connector: rightConnector, systemPrompt }),
    "the system prompt must be a text",
  ],
  [
    "CallModelNode",
    (tools) => new CallModelNode({ model: rightModel, tools }),
    "CallModelNode: tools must be a list of tools",
  ],
  ["claudeMemoryHandlers", (of) => claudeMemoryHandlers(of), "claudeMemoryHandlers: memory must be a Memory"],
  ["downloadFiles", (paths) => files.downloadFiles(paths), "downloadFiles: paths must be a list of paths"],
  ["uploadFiles", (pairs) => files.uploadFiles(pairs), "uploadFiles: files must be a list of pairs [path, content]"],
  [
    "prepareStep",
    (messages) => createAiMemory({ memory: rightMemory }).prepareStep({ messages }),
    "prepareStep: messages must be a list of messages",
  ],
  ["MemoryTree", (snapshot) => new MemoryTree(snapshot), "MemoryTree: snapshot must be an object"],
  ["commit", (edits) => new MemoryTree().commit(edits), "MemoryTree: edits must be edits as applyChange returns them"],
  ["applyChange", (tree) => applyChange(tree, untyped(change), untyped({})), "applyChange: tree must be a MemoryTree"],
  [
    "applyChange with settings",
    (settings) => applyChange(new MemoryTree(), untyped(change), settings),
    "applyChange: settings must be an object { now, maxFileBytes }",
  ],
  [
    "openMemoryOver",
    (open) => openMemoryOver(open, { nodeId: "n" }),
    "openMemoryOver: openBackend must be a function from an address to a backend",
  ],
  [
    "defineMemorySuite",
    (runner) => defineMemorySuite(runner, async () => rightMemory),
    "defineMemorySuite: runner must be an object { describe, it }",
  ],
];

describe.each(functions)("%s", (_name, call, expected) => {
  it.each([
    ["null", null],
    ["a number", 5],
  ])("refuses %s with a TypeError that says what it takes", async (_given, argument) => {
    const refused = (async () => call(untyped(argument)))();
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(expected);
  });
});

it("applyChange refuses a change of another type, and lists the types", () => {
  expect(() => applyChange(new MemoryTree(), untyped({ type: "copy" }), { now: new Date(), maxFileBytes: 10 })).toThrow(
    new TypeError(
      'applyChange: type of the change must be one of append, write, edit, update, delete, rename (given "copy")',
    ),
  );
});

it("A refusal says what was given, without the contents of objects and the source of functions", () => {
  const prompt = (given: unknown) => () => caller.setSystemPrompt(untyped(given));
  expect(prompt({ secret: 1 })).toThrow('the system prompt must be a text ("" for none) (given an object)');
  expect(prompt(["a"])).toThrow("(given a list)");
  expect(prompt(() => "secret")).toThrow("(given a function)");
  expect(prompt(undefined)).toThrow("(given undefined)");
});
