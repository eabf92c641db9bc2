import { describe, expect, it } from "@jest/globals";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { MemoryNode } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type ClientName, clients } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";

const args = { path: "/notes/today", command: "append", content: "hello" };
const called = { name: "memory", arguments: JSON.stringify(args) };
const chatCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: called }],
};
const answer = '{"command":"append","path":"/notes/today","ok":true,"result":{"status":"ok"}}';

/** How each provider calls the tool, and the request after it from the user's turn on; `M` is the memory. */
const conversations: Partial<Record<ClientName, { call: Json; sent: Json[]; shown: Json }>> = {
  "ChatOpenAI, chat completions": {
    call: { choices: [{ index: 0, message: chatCall, finish_reason: "tool_calls" }] },
    sent: [
      { role: "user", content: "u" },
      { ...chatCall, content: "" },
      { role: "tool", content: answer, tool_call_id: "call_1" },
    ],
    shown: { role: "system", content: "M" },
  },
  "ChatOpenAI, responses": {
    call: { output: [{ type: "function_call", id: "fc_1", call_id: "call_1", status: "completed", ...called }] },
    sent: [
      { type: "message", role: "user", content: "u" },
      { type: "function_call", id: "fc_1", call_id: "call_1", ...called },
      { type: "function_call_output", call_id: "call_1", output: answer },
    ],
    shown: { type: "message", role: "system", content: "M" },
  },
  "ChatOpenAI with a base URL": {
    call: { choices: [{ index: 0, message: chatCall, finish_reason: "tool_calls" }] },
    sent: [
      { role: "user", content: "u" },
      { ...chatCall, content: "" },
      { role: "tool", content: answer, tool_call_id: "call_1" },
    ],
    shown: { role: "user", content: "M" },
  },
  ChatAnthropic: {
    call: { content: [{ type: "tool_use", id: "toolu_1", name: "memory", input: args }], stop_reason: "tool_use" },
    sent: [
      { role: "user", content: "u" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "memory", input: args }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: answer }] },
    ],
    shown: { role: "user", content: "M" },
  },
  ChatGoogleGenerativeAI: {
    call: {
      candidates: [
        {
          content: { role: "model", parts: [{ functionCall: { name: "memory", args } }] },
          finishReason: "STOP",
          index: 0,
        },
      ],
    },
    sent: [
      { role: "user", parts: [{ text: "u" }] },
      { role: "model", parts: [{ functionCall: { name: "memory", args } }] },
      { role: "user", parts: [{ functionResponse: { name: "memory", response: { result: answer } } }] },
    ],
    shown: { role: "user", parts: [{ text: "M" }] },
  },
};

const cases = Object.entries(conversations) as [ClientName, (typeof conversations)[ClientName] & object][];

/** The turns of a request after the system prompt, and the system prompt with whatever stands before them. */
function split(request: Json | undefined): { system: string; turns: Json[] } {
  const all = (request?.["messages"] ?? request?.["input"] ?? request?.["contents"]) as Json[];
  const begin = all.findIndex(({ role }) => role === "user");
  const apart = request?.["system"] ?? request?.["systemInstruction"] ?? all.slice(0, begin);
  return { system: JSON.stringify(apart), turns: all.slice(begin) };
}

describe("a tool loop", () => {
  const server = recordingServer();

  it.each(cases)(
    "of %s writes the memory, and the next request shows it where it belongs",
    async (name, { call, sent, shown }) => {
      for (const placement of ["after_system", "last_message"] as const) {
        const memory = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
        const model = clients[name](server);
        const messages = [new HumanMessage("u")];
        server.upcoming.push(call);
        const middleware = [memoryMiddleware({ memory, placement })];
        await createAgent({ model, tools: [], systemPrompt: new SystemMessage("S"), middleware }).invoke({ messages });
        expect(await memory.memory().read("/notes/today")).toBe("hello");
        const text = (await memory.createConnector().renderMessage())?.text ?? "";
        const requests = server.take();
        expect(requests).toHaveLength(2);
        const [first, second] = requests.map((request) =>
          split(JSON.parse(JSON.stringify(request).replaceAll(JSON.stringify(text).slice(1, -1), "M")) as Json),
        );
        expect(JSON.stringify(first)).toContain("This memory is empty");
        // LangChain adds names and states of its own to the turns.
        const expected = placement === "last_message" ? [...sent, shown] : sent;
        expect(second?.turns).toEqual(expected.map((each) => expect.objectContaining(each)));
        expect(second?.system.match(/M/g) ?? []).toHaveLength(placement === "last_message" ? 0 : 1);
      }
    },
  );
});
