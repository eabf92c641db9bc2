import { beforeAll, describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, initChatModel, modelFallbackMiddleware } from "langchain";
import { Agent, CallModelNode, MemoryNode, type MemoryConnectorConfig } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type ClientName, clients, inBrief, redirectedTo, turnsOf } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";

const server = recordingServer();
const names = Object.keys(clients) as ClientName[];
const human = [new HumanMessage("u")];

async function nodeWithNotes(): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
  await node.memory().append("/a", "x");
  return node;
}

/** What every connector below shows. */
let memory = "";

beforeAll(async () => {
  memory = (await (await nodeWithNotes()).createConnector().renderMessage())?.text ?? "";
  expect(memory).toMatch(/^<memory scope="global" view="tree">\n[\s\S]*\n\/a \(1 byte\)\n<\/memory>$/);
});

/** The one request made for these messages. */
async function captureRequest(
  name: ClientName,
  messages: BaseMessage[],
  config: MemoryConnectorConfig = {},
): Promise<Json> {
  const node = await nodeWithNotes();
  const memoryConnector = node.createConnector(config);
  await new CallModelNode({ model: clients[name](server), tools: node.memoryTools, memoryConnector }).invoke({
    messages,
  });
  const [request, ...others] = server.take();
  if (!request || others.length > 0) throw new Error(`${others.length + 1} requests`);
  return request;
}

describe("the whole of what a provider reads of the memory", () => {
  it("keeps the cache mark on Anthropic's system prompt, and on it alone", async () => {
    const prompt = { type: "text", text: "S", cache_control: { type: "ephemeral" } };
    for (const placement of ["after_system", "before_system"] as const) {
      const request = await captureRequest("ChatAnthropic", [new SystemMessage({ content: [prompt] }), ...human], {
        placement,
      });
      const shown = { type: "text", text: placement === "after_system" ? `\n\n${memory}` : `${memory}\n\n` };
      expect(request["system"]).toEqual(placement === "after_system" ? [prompt, shown] : [shown, prompt]);
    }
  });

  it("holds no empty block where the system prompt has one", async () => {
    const empty = { type: "text", text: "" };
    for (const name of names) {
      for (const content of ["", [empty], [empty, { type: "text", text: "S" }]]) {
        const request = await captureRequest(name, [new SystemMessage({ content }), ...human], {
          systemMessages: "merged",
        });
        expect(turnsOf(request).at(-1)).toEqual({ role: "user", texts: ["u"] });
      }
    }
  });

  it("goes to the reasoning models of OpenAI as messages of the developer", async () => {
    const node = await nodeWithNotes();
    const model = new ChatOpenAI({ apiKey: "key", model: "o3", maxRetries: 0, configuration: redirectedTo(server) });
    await new CallModelNode({ model, systemPrompt: "S", memoryConnector: node.createConnector() }).invoke({
      messages: human,
    });
    expect(server.take().map((request) => inBrief(request, memory))).toEqual([
      'developer "S" | developer "M" | user "u"',
    ]);
  });
});

describe("two turns with an unchanged memory", () => {
  /** The parts in the order in which providers cache them. */
  const getParts = (request: Json | undefined): string[] =>
    [
      request?.["tools"],
      request?.["system"] ?? request?.["systemInstruction"],
      request?.["messages"] ?? request?.["input"] ?? request?.["contents"],
    ].map((part) => JSON.stringify(part ?? null));

  it.each(
    names.flatMap((name) =>
      (["after_system", "before_system", "last_message"] as const).map((placement) => [name, placement] as const),
    ),
  )("of %s, placed %s, begin with the same bytes", async (name, placement) => {
    const node = await nodeWithNotes();
    const agent = new Agent({
      model: clients[name](server),
      tools: node.memoryTools,
      systemPrompt: "S",
      checkpointer: new MemorySaver(),
    });
    agent.attachMemoryConnector(node.createConnector({ placement }));
    for (const text of ["one", "two"]) {
      await agent.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id: "1" } });
    }
    const [first, second] = server.take().map(getParts);
    expect(second?.slice(0, 2)).toEqual(first?.slice(0, 2));
    const [before, after] = [first?.[2] ?? "", second?.[2] ?? ""];
    // Of a memory in the last message only what stands before it can be the same.
    const end = placement === "last_message" ? before.lastIndexOf(",{", before.indexOf("<memory ")) : before.length - 1;
    expect(end).toBeGreaterThan(10);
    expect(after.startsWith(before.slice(0, end))).toBe(true);
    expect(after.match(/<memory /g) ?? []).toHaveLength(first?.[1]?.includes("<memory ") === true ? 0 : 1);
  });
});

describe("the memory tool", () => {
  const description: unknown = expect.any(String);
  const optional = (type: string): object => ({ anyOf: [{ type, description }, { type: "null" }] });
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description },
      command: { type: "string", enum: ["read", "list", "append", "update", "delete"], description },
      content: optional("string"),
      oldContent: optional("string"),
      fromLine: optional("integer"),
    },
    required: ["path", "command", "content", "oldContent", "fromLine"],
    additionalProperties: false,
  };
  const { additionalProperties: _, ...open } = schema;
  const named = { name: "memory", description: expect.stringContaining("long-term memory") };

  it.each([
    ["ChatOpenAI, chat completions", { type: "function", function: { ...named, parameters: schema } }],
    ["ChatOpenAI, responses", { type: "function", ...named, parameters: schema, strict: null }],
    ["ChatOpenAI with a base URL", { type: "function", function: { ...named, parameters: schema } }],
    ["ChatAnthropic", { ...named, input_schema: schema }],
    ["ChatGoogleGenerativeAI", { functionDeclarations: [{ ...named, parameters: open }] }],
  ] as const)("reaches %s with its flat schema", async (name, expected) => {
    const request = await captureRequest(name, human);
    expect(request["tools"]).toEqual([expected]);
  });
});

describe("a fallback to another provider", () => {
  it("is sent the memory as that provider takes it, where it is outside of the memory", async () => {
    const unreachable = (): never => {
      throw new Error("unreachable");
    };
    const model = new ChatOpenAI({
      apiKey: "key",
      model: "gpt-4o",
      maxRetries: 0,
      configuration: { fetch: unreachable },
    });
    const fallback = modelFallbackMiddleware(clients.ChatGoogleGenerativeAI(server));
    const middleware = [fallback, memoryMiddleware({ memory: await nodeWithNotes() })];
    await createAgent({ model, tools: [], systemPrompt: "S", middleware }).invoke({ messages: human });
    expect(server.take().map((request) => inBrief(request, memory))).toEqual([
      String.raw`system "S" "\n\nM" | user "u"`,
    ]);
  });
});

describe("a model that the run chooses", () => {
  it("is sent the memory as that model takes it, from a CallModelNode and from createAgent", async () => {
    const node = await nodeWithNotes();
    const model = await initChatModel("gpt-4o", {
      modelProvider: "openai",
      configurableFields: "any",
      apiKey: "key",
      maxRetries: 0,
      configuration: redirectedTo(server),
      anthropicApiUrl: server.url,
    });
    const callModel = new CallModelNode({ model, systemPrompt: "S", memoryConnector: node.createConnector() });
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: "S",
      middleware: [memoryMiddleware({ memory: node })],
    });
    const claude = { configurable: { model: "claude-sonnet-4-5", modelProvider: "anthropic" } };
    for (const config of [{}, claude]) {
      await callModel.invoke({ messages: human }, config);
      await agent.invoke({ messages: human }, config);
    }
    const [apart, together] = ['system "S" | system "M" | user "u"', String.raw`system "S" "\n\nM" | user "u"`];
    expect(server.take().map((request) => inBrief(request, memory))).toEqual([apart, apart, together, together]);
  });
});
