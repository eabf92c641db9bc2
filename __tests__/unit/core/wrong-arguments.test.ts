import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { createAiMemory } from "../../../src/ai-sdk/index.js";
import { claudeMemoryHandlers } from "../../../src/langchain/claude/index.js";
import { applyChange, MemoryTree, openMemoryOver } from "../../../src/custom-backend/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { Agent, CallModelNode, createMemoryPrompt, MemoryNode, mountMemories, openMemory } from "../../../src/index.js";
import { defineMemorySuite } from "../../../src/testing/index.js";
import { untyped } from "../../helpers/memory-case.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

const store = new InMemoryStore();
const memory = openMemory(store, { nodeId: "n" });
const node = new MemoryNode({ store, nodeId: "n" });
const connector = node.createConnector();
const model = new ScriptedChatModel(() => "Hi");
const caller = new CallModelNode({ model });
const files = new DeepAgentsBackend(memory);
const change = { type: "write", path: "/a", content: "x", ifExists: "replace", ifMissing: "create" };

type Call = (argument: never) => unknown;

/** Each function with the words about its argument. */
const functions: [name: string, call: Call, expected: string][] = [
  ["outline of a memory", (options) => memory.outline(options), "invalid OutlineOptions"],
  [
    "outline of a tree of mounts",
    (options) => mountMemories({ "/": memory }).outline(options),
    "invalid OutlineOptions",
  ],
  ["memoryForRun", (run) => node.memoryForRun(run), "run must be an object { config, threadId?, userId? }"],
  ["createConnector", (config) => node.createConnector(config), "invalid MemoryConnectorConfig"],
  ["renderMessage", (run) => connector.renderMessage(run), "renderMessage: run must be an object"],
  ["Agent", (options) => new Agent(options), "invalid AgentOptions"],
  ["addTool", (tool) => caller.addTool(tool), "addTool: tool must be a tool with a name"],
  ["removeTool", (tool) => caller.removeTool(tool), "removeTool: tool must be a tool or its name"],
  ["setSystemPrompt", (prompt) => caller.setSystemPrompt(prompt), "the system prompt must be a text"],
  [
    "createMemoryPrompt",
    (systemPrompt) => createMemoryPrompt({ connector, systemPrompt }),
    "the system prompt must be a text",
  ],
  ["CallModelNode", (tools) => new CallModelNode({ model, tools }), "CallModelNode: tools must be a list of tools"],
  ["claudeMemoryHandlers", (of) => claudeMemoryHandlers(of), "claudeMemoryHandlers: memory must be a Memory"],
  ["downloadFiles", (paths) => files.downloadFiles(paths), "downloadFiles: paths must be a list of paths"],
  ["uploadFiles", (pairs) => files.uploadFiles(pairs), "uploadFiles: files must be a list of pairs [path, content]"],
  [
    "prepareStep",
    (messages) => createAiMemory({ memory }).prepareStep({ messages }),
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
    (runner) => defineMemorySuite(runner, async () => memory),
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
