import { describe, expect, it } from "@jest/globals";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { ChatBedrockConverse } from "@langchain/aws";
import { ChatOllama } from "@langchain/ollama";
import { createAgent } from "langchain";
import { Agent, MemoryNode } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { clients, type MakeClient } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";
import { auto, removeQuestion, writeManyNotes } from "../../helpers/turns.js";

const allClients = {
  ...clients,
  ChatOllama: (server) => new ChatOllama({ model: "llama3", baseUrl: server.url, maxRetries: 0 }),
  // The client of AWS speaks HTTP/2, so another one sends what it is given.
  ChatBedrockConverse: (server) =>
    new ChatBedrockConverse({
      region: "us-east-1",
      model: "amazon.nova-pro-v1:0",
      client: {
        send: async ({ input }: { input: Json }) => {
          const body = JSON.stringify(input);
          return (await fetch(`${server.url}/converse`, { method: "POST", body })).json();
        },
      } as never,
    }),
} satisfies Record<string, MakeClient>;

/** The answer of each provider that calls the tool. */
const toolCalls: Record<keyof typeof allClients, (args: object) => Json> = {
  "ChatOpenAI, chat completions": chatCall,
  "ChatOpenAI with a base URL": chatCall,
  "ChatOpenAI, responses": responsesCall,
  "ChatOpenAI with a base URL, responses": responsesCall,
  ChatAnthropic: (args) => ({
    content: [{ type: "tool_use", id: nextId(), name: "memory", input: args }],
    stop_reason: "tool_use",
  }),
  ChatGoogleGenerativeAI: (args) => ({
    candidates: [
      {
        content: { role: "model", parts: [{ functionCall: { name: "memory", args } }] },
        finishReason: "STOP",
        index: 0,
      },
    ],
  }),
  ChatOllama: (args) => ({
    message: { role: "assistant", content: "", tool_calls: [{ function: { name: "memory", arguments: args } }] },
  }),
  ChatBedrockConverse: (args) => ({
    output: {
      message: {
        role: "assistant",
        content: [{ toolUse: { toolUseId: nextId(), name: "memory", input: args } }],
      },
    },
    stopReason: "tool_use",
  }),
};

let calls = 0;

function nextId(): string {
  calls += 1;
  return `call_${calls}`;
}

function chatCall(args: object): Json {
  const call = { id: nextId(), type: "function", function: { name: "memory", arguments: JSON.stringify(args) } };
  return {
    choices: [
      { index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" },
    ],
  };
}

function responsesCall(args: object): Json {
  const id = nextId();
  const call = { call_id: id, name: "memory", arguments: JSON.stringify(args) };
  return { output: [{ type: "function_call", id: `fc_${id}`, status: "completed", ...call }] };
}

async function nodeWithManyNotes(): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
  await writeManyNotes(node.memory());
  return node;
}

/** The turns of a request, without the system prompt. */
function getTurns(request: Json | undefined): Json[] {
  const turns = (request?.["messages"] ?? request?.["input"] ?? request?.["contents"]) as Json[];
  return turns.filter(({ role }) => role !== "system");
}

/** The texts of a turn, one after the other. */
function getText(turn: Json | undefined): string {
  const content = turn?.["content"] ?? turn?.["parts"];
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) => (typeof block === "string" ? block : ((block as { text?: string } | undefined)?.text ?? "")))
    .join("");
}

describe.each(Object.keys(allClients) as (keyof typeof allClients)[])("the part of the turn, sent by %s", (name) => {
  const server = recordingServer();
  const createClient = () => allClients[name](server);

  it("is before the text of the user's last message, in the same message", async () => {
    const node = await nodeWithManyNotes();
    const agent = new Agent({ model: createClient(), systemPrompt: "S", memoryConnector: node.createConnector(auto) });
    const history = [new HumanMessage("Hello to you."), { role: "assistant", content: "Hello." }];
    await agent.invoke({ messages: [...history, new HumanMessage("What is word7?")] });
    const turns = getTurns(server.take()[0]);
    expect(turns.map(({ role }) => role)).toEqual(["user", expect.stringMatching(/assistant|model/), "user"]);
    expect(getText(turns[0])).toBe("Hello to you.");
    expect(getText(turns[2])).toMatch(/^<memory [^]*\| word7 is [^]*<\/memory>\n\nWhat is word7\?$/);
  });

  it("is the same in a loop of tools, while the agent writes", async () => {
    const node = await nodeWithManyNotes();
    const agent = new Agent({
      model: createClient(),
      tools: node.memoryTools,
      memoryConnector: node.createConnector(auto),
      checkpointer: new MemorySaver(),
    });
    const write = { command: "append", path: "/notes/7", content: "word7 is blue." };
    server.upcoming.push(toolCalls[name](write), toolCalls[name]({ command: "read", path: "/notes/7" }));
    const thread = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: [new HumanMessage("What is word7?")] }, thread);
    const parts = server.take().map((request) => getTurns(request).map(getText));
    expect(parts.map(({ length }) => length)).toEqual([1, 3, 5]);
    expect(parts[0]?.[0]).toContain("| word7 is what");
    expect(parts[1]?.[0]).toBe(parts[0]?.[0]);
    expect(parts[2]?.[0]).toBe(parts[0]?.[0]);
    await agent.invoke({ messages: [new HumanMessage("And what is word7 now?")] }, thread);
    const next = getTurns(server.take()[0]).map(getText);
    expect(next[0]).toBe("What is word7?");
    expect(next.at(-1)).toContain("| word7 is blue.");
  });
});

describe("ten turns of ChatAnthropic with a cache mark", () => {
  const server = recordingServer();

  it("begin with the same bytes up to the user's last message, and leave nothing in the checkpoints", async () => {
    const node = await nodeWithManyNotes();
    const checkpointer = new MemorySaver();
    const prompt = { type: "text", text: "You cook.", cache_control: { type: "ephemeral" } };
    const agent = createAgent({
      model: clients.ChatAnthropic(server),
      tools: [],
      systemPrompt: new SystemMessage({ content: [prompt] }),
      middleware: [memoryMiddleware({ memory: node, ...auto })],
      checkpointer,
    });
    const thread = { configurable: { thread_id: "1" } };
    for (let turn = 0; turn < 10; turn += 1)
      await agent.invoke({ messages: [new HumanMessage(`What is the meaning of word${turn} in the notes?`)] }, thread);
    const requests = server.take();
    const [first] = requests;
    expect(first?.["system"]).toEqual([prompt, { type: "text", text: expect.stringContaining("<memory ") }]);
    requests.forEach((request, turn) => {
      expect(JSON.stringify([request["tools"], request["system"]])).toBe(
        JSON.stringify([first?.["tools"], first?.["system"]]),
      );
      const turns = getTurns(request);
      const before = turn === 0 ? [] : getTurns(requests[turn - 1]).slice(0, -1);
      expect(JSON.stringify(turns.slice(0, before.length))).toBe(JSON.stringify(before));
      const part = removeQuestion(getText(turns.at(-1)), `What is the meaning of word${turn} in the notes?`);
      expect(part).toContain(`| word${turn} is what`);
      expect(JSON.stringify(turns).match(/<memory /g)).toHaveLength(1);
    });
    expect(JSON.stringify(await agent.graph.getState(thread))).not.toContain("<memory ");
    const checkpoints = JSON.stringify(checkpointer.storage, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    expect(checkpoints).toContain("the meaning of word9");
    expect(checkpoints).not.toContain("<memory ");
  });

  it("keep the user's images and the mark of the user's block", async () => {
    const node = await nodeWithManyNotes();
    const agent = new Agent({ model: clients.ChatAnthropic(server), memoryConnector: node.createConnector(auto) });
    const question = { type: "text", text: "What is word7 here?", cache_control: { type: "ephemeral" } };
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const content = [image, question];
    await agent.invoke({ messages: [new HumanMessage({ content, id: "1" })] });
    expect(getTurns(server.take()[0])[0]?.["content"]).toEqual([
      { type: "text", text: expect.stringMatching(/\| word7 is[^]*<\/memory>\n\n$/) },
      image,
      question,
    ]);
    expect(content).toEqual([image, question]);
  });
});
