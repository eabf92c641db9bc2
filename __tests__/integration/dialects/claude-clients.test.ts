import { randomUUID } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { expect, it } from "@jest/globals";
import { tools } from "@langchain/anthropic";
import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { Agent, type Memory, openMemory } from "../../../src/index.js";
import { claudeMemoryHandlers, createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type ClientName, clients } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";

const server = recordingServer();
const native = { type: "memory_20250818", name: "memory" };
const freshMemory = (): Memory => openMemory(new InMemoryStore(), freshAddress());
const go = (): { messages: HumanMessage[] } => ({ messages: [new HumanMessage("go")] });

/** What Claude answers when it calls the tool once for each of these. */
function calling(...inputs: object[]): Json {
  const content = inputs.map((input) => ({ type: "tool_use", id: `toolu_${randomUUID()}`, name: "memory", input }));
  // A graph keeps one message of each id.
  return { id: `msg_${randomUUID()}`, content, stop_reason: "tool_use" };
}

/** The tool's results as Claude was sent them, request by request. */
const resultsIn = (requests: Json[]): Json[] =>
  requests.slice(1).flatMap((request) => (request["messages"] as { content: Json[] }[]).at(-1)?.content ?? []);

/** A file of three lines, on which both ways of leaving something out make a difference. */
const path = "/memories/notes.txt";
const create = { command: "create", path, file_text: "one\ntwo\nthree\n" };
const view = { command: "view", path, view_range: [2, -1] };
const replace = { command: "str_replace", path, old_str: "two\n" };
const turns = [
  [create],
  [view, { command: "view", path: "/memories/none" }],
  [replace, { command: "str_replace", path: "/memories/none", old_str: "x" }],
];
const missing = "The path /memories/none does not exist. Please provide a valid path.";
const viewed = `Here's the content of ${path} with line numbers:\n     2\ttwo\n     3\tthree`;
const edited =
  "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\tthree";
const answers = [`File created successfully at: ${path}`, viewed, missing, edited, `Error: ${missing}`];

it.each<[loop: string, run: (memory: Memory) => Promise<unknown>]>([
  [
    "createAgent",
    (memory) =>
      createAgent({ model: clients.ChatAnthropic(server), tools: [createClaudeMemoryTool(memory)] }).invoke(go()),
  ],
  [
    "Agent",
    (memory) =>
      new Agent({ model: clients.ChatAnthropic(server), tools: [createClaudeMemoryTool(memory)] }).invoke(go()),
  ],
])("ChatAnthropic in %s sends the native tool, and each answer comes to it", async (_loop, run) => {
  const memory = freshMemory();
  server.upcoming.push(...turns.map((turn) => calling(...turn)));
  await run(memory);
  const requests = server.take();
  expect(requests.map((request) => request["tools"])).toEqual([[native], [native], [native], [native]]);
  expect(resultsIn(requests).map((result) => result["content"])).toEqual(answers);
  expect(await memory.read("/notes.txt")).toBe("one\nthree\n");
});

it("LangChain's own wrapper runs our tool", async () => {
  const refused = { command: "delete", path: "/memories/" };
  server.upcoming.push(calling(create), calling({ command: "view", path }, refused));
  const tool = createClaudeMemoryTool(freshMemory());
  const wrapped = tools.memory_20250818({ execute: (command) => tool.invoke(command) });
  await createAgent({ model: clients.ChatAnthropic(server), tools: [wrapped] }).invoke(go());
  const requests = server.take();
  expect(requests[0]?.["tools"]).toEqual([native]);
  expect(resultsIn(requests).map((result) => result["content"])).toEqual([
    answers[0],
    viewed.replace("\n", "\n     1\tone\n"),
    "Error: Cannot delete the /memories directory itself",
  ]);
});

it("the tool runner of @anthropic-ai/sdk sends the native tool, and marks what fails", async () => {
  const memory = freshMemory();
  server.upcoming.push(...turns.map((turn) => calling(...turn)), calling({ command: "toString" }));
  // The handlers are what the SDK's own type asks for.
  const handlers: MemoryToolHandlers = claudeMemoryHandlers(memory);
  const { content } = await new Anthropic({ apiKey: "key", baseURL: server.url, maxRetries: 0 }).beta.messages
    .toolRunner({
      model: "claude-opus-4-8",
      max_tokens: 100,
      messages: [{ role: "user", content: "go" }],
      tools: [betaMemoryTool(handlers, { cache_control: { type: "ephemeral" } })],
    })
    .runUntilDone();
  expect(content).toMatchObject([{ type: "text", text: "done" }]);
  const requests = server.take();
  expect(requests[0]?.["tools"]).toEqual([{ ...native, cache_control: { type: "ephemeral" } }]);
  expect(resultsIn(requests).map((result) => [result["content"], result["is_error"] ?? false])).toEqual([
    [answers[0], false],
    [viewed, false],
    [`Error: ${missing}`, true],
    [edited, false],
    [`Error: ${missing}`, true],
    ["Error: toString not implemented", true],
  ]);
  expect(await memory.read("/notes.txt")).toBe("one\nthree\n");
});

const others = Object.keys(clients).filter((name) => name !== "ChatAnthropic") as ClientName[];

it.each(others)("a model that does not know the tool is sent its flat schema: %s", async (name) => {
  const tool = createClaudeMemoryTool(freshMemory());
  await clients[name](server).bindTools?.([tool]).invoke("go");
  const sent = JSON.stringify(server.take()[0]?.["tools"]);
  expect(sent).not.toContain("memory_20250818");
  const { properties } = tool.schema as { properties: object };
  for (const parameter of Object.keys(properties)) expect(sent).toContain(`"${parameter}":{`);
  expect(sent).toContain('"integer"');
  expect(sent).not.toMatch(/"(?:oneOf|allOf)"/);
});

it("a model that does not know the tool calls it all the same, with a range and without new_str", async () => {
  const memory = freshMemory();
  await memory.write("/notes.txt", create.file_text);
  const tool_calls = [view, replace].map((input, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name: "memory", arguments: JSON.stringify(input) },
  }));
  const message = { role: "assistant", content: null, tool_calls };
  server.upcoming.push({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const tool = createClaudeMemoryTool(memory);
  const asking = await clients["ChatOpenAI, chat completions"](server).bindTools?.([tool]).invoke("go");
  const answered = (await new ToolNode([tool]).invoke({ messages: [asking] })) as { messages: ToolMessage[] };
  expect(answered.messages.map((each) => each.text)).toEqual([viewed, edited]);
  server.take();
});
