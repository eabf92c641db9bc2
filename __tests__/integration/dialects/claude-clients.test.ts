import { randomUUID } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { describe, expect, it } from "@jest/globals";
import { tools } from "@langchain/anthropic";
import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { claudeMemoryHandlers, createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { type Memory, Agent, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";
import { type ClientName, clients } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";

const server = recordingServer();
const stores = storesUnderTest();
const native = { type: "memory_20250818", name: "memory" };

/** What Claude answers when it calls the tool once for each of these. */
function calling(...inputs: object[]): Json {
  const content = inputs.map((input) => ({ type: "tool_use", id: `toolu_${randomUUID()}`, name: "memory", input }));
  // A graph keeps one message of each id.
  return { id: `msg_${randomUUID()}`, content, stop_reason: "tool_use" };
}

/** The tool's results as Claude was sent them in the last request. */
function resultsIn(request: Json | undefined): Json[] {
  const messages = request?.["messages"] as { content: Json[] }[];
  return messages.at(-1)?.content ?? [];
}

/** A file of three lines, on which both ways of leaving something out make a difference. */
const file = "one\ntwo\nthree\n";
const path = "/memories/notes.txt";
const viewed = `Here's the content of ${path} with line numbers:\n     2\ttwo\n     3\tthree`;
const editedText =
  "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\tthree";
const missing = "does not exist. Please provide a valid path.";
const turns = [
  [{ command: "create", path, file_text: file }],
  [
    { command: "view", path, view_range: [2, -1] },
    { command: "view", path: "/memories/none" },
  ],
  [
    { command: "str_replace", path, old_str: "two\n" },
    { command: "str_replace", path: "/memories/none", old_str: "x" },
  ],
];
const answers = [
  `File created successfully at: ${path}`,
  viewed,
  `The path /memories/none ${missing}`,
  editedText,
  `Error: The path /memories/none ${missing}`,
];

const go = (): { messages: HumanMessage[] } => ({ messages: [new HumanMessage("go")] });

const loops: Record<string, (tool: StructuredToolInterface) => Promise<unknown>> = {
  createAgent: (tool) => createAgent({ model: clients.ChatAnthropic(server), tools: [tool] }).invoke(go()),
  Agent: (tool) => new Agent({ model: clients.ChatAnthropic(server), tools: [tool] }).invoke(go()),
};

/** The SDK's own loop. */
function runInSdk(memory: Memory): Promise<{ content: unknown }> {
  const client = new Anthropic({ apiKey: "key", baseURL: server.url, maxRetries: 0 });
  // The handlers are what the SDK's own type asks for.
  const handlers: MemoryToolHandlers = claudeMemoryHandlers(memory);
  return client.beta.messages
    .toolRunner({
      model: "claude-opus-4-8",
      max_tokens: 100,
      messages: [{ role: "user", content: "go" }],
      tools: [betaMemoryTool(handlers, { cache_control: { type: "ephemeral" } })],
    })
    .runUntilDone();
}

describe.each(stores)("on a memory in %s", (_name, open) => {
  const freshMemory = (): Memory => openMemory(open(), freshAddress());

  it.each(Object.entries(loops))(
    "ChatAnthropic in %s sends the native tool, and each answer comes to it",
    async (_loop, run) => {
      const memory = freshMemory();
      server.upcoming.push(...turns.map((turn) => calling(...turn)));
      await run(createClaudeMemoryTool(memory));
      const requests = server.take();
      expect(requests.map((request) => request["tools"])).toEqual([[native], [native], [native], [native]]);
      expect(
        requests
          .slice(1)
          .flatMap(resultsIn)
          .map((result) => result["content"]),
      ).toEqual(answers);
      expect(await memory.read("/notes.txt")).toBe("one\nthree\n");
    },
  );

  it("the tool runner of @anthropic-ai/sdk sends the native tool, and marks what fails", async () => {
    const memory = freshMemory();
    server.upcoming.push(...turns.map((turn) => calling(...turn)));
    const final = await runInSdk(memory);
    expect(final.content).toMatchObject([{ type: "text", text: "done" }]);
    const requests = server.take();
    expect(requests[0]?.["tools"]).toEqual([{ ...native, cache_control: { type: "ephemeral" } }]);
    const results = requests.slice(1).flatMap(resultsIn);
    expect(results.map((result) => [result["content"], result["is_error"] ?? false])).toEqual(
      answers.map((answer) =>
        answer.includes(missing) ? [`Error: ${answer.replace(/^Error: /, "")}`, true] : [answer, false],
      ),
    );
    expect(await memory.read("/notes.txt")).toBe("one\nthree\n");
  });

  it("the runner finds no commands among JavaScript's own names", async () => {
    server.upcoming.push(calling({ command: "toString" }, { command: "constructor" }));
    await runInSdk(freshMemory());
    expect(resultsIn(server.take()[1]).map((result) => result["content"])).toEqual([
      "Error: toString not implemented",
      "Error: constructor not implemented",
    ]);
  });

  it("edits of one turn all land, in LangChain and in the SDK", async () => {
    const edits = Array.from({ length: 5 }, (_, index) => ({
      command: "str_replace",
      path,
      old_str: `<${index}>`,
      new_str: `${index} done`,
    }));
    const runs: ((memory: Memory) => Promise<unknown>)[] = [
      (memory) =>
        createAgent({ model: clients.ChatAnthropic(server), tools: [createClaudeMemoryTool(memory)] }).invoke(go()),
      runInSdk,
    ];
    for (const run of runs) {
      const memory = freshMemory();
      await memory.write("/notes.txt", "<0>\n<1>\n<2>\n<3>\n<4>\n");
      server.upcoming.push(calling(...edits));
      await run(memory);
      expect(
        resultsIn(server.take()[1]).filter((result) => String(result["content"]).startsWith("The memory file")),
      ).toHaveLength(5);
      expect(await memory.read("/notes.txt")).toBe("0 done\n1 done\n2 done\n3 done\n4 done\n");
    }
  });

  it("LangChain's own wrapper runs our tool", async () => {
    const memory = freshMemory();
    const view = { command: "view", path };
    const refused = { command: "delete", path: "/memories/" };
    server.upcoming.push(calling({ command: "create", path, file_text: file }), calling(view, refused));
    const tool = createClaudeMemoryTool(memory);
    const wrapped = tools.memory_20250818({ execute: (command) => tool.invoke(command) });
    await createAgent({ model: clients.ChatAnthropic(server), tools: [wrapped] }).invoke(go());
    const requests = server.take();
    expect(requests[0]?.["tools"]).toEqual([native]);
    expect(
      requests
        .slice(1)
        .flatMap(resultsIn)
        .map((result) => result["content"]),
    ).toEqual([
      `File created successfully at: ${path}`,
      `Here's the content of ${path} with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree`,
      "Error: Cannot delete the /memories directory itself",
    ]);
  });
});

describe("a model that does not know the tool", () => {
  const others = Object.keys(clients).filter((name) => name !== "ChatAnthropic") as ClientName[];

  it.each(others)("is sent its flat schema: %s", async (name) => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    const tool = createClaudeMemoryTool(memory);
    await clients[name](server).bindTools?.([tool]).invoke("go");
    const sent = JSON.stringify(server.take()[0]?.["tools"]);
    expect(sent).not.toContain("memory_20250818");
    const { properties } = tool.schema as { properties: object };
    for (const parameter of Object.keys(properties)) expect(sent).toContain(`"${parameter}":{`);
    expect(sent).toContain('"integer"');
    expect(sent).not.toMatch(/"(?:oneOf|allOf)"/);
  });

  it("calls it all the same, with a range and without new_str", async () => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    await memory.write("/notes.txt", file);
    const inputs = [
      { command: "view", path, view_range: [2, -1] },
      { command: "str_replace", path, old_str: "two\n" },
    ];
    const toolCalls = inputs.map((input, index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name: "memory", arguments: JSON.stringify(input) },
    }));
    const message = { role: "assistant", content: null, tool_calls: toolCalls };
    server.upcoming.push({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    const tool = createClaudeMemoryTool(memory);
    const asking = await clients["ChatOpenAI, chat completions"](server).bindTools?.([tool]).invoke("go");
    const answered = (await new ToolNode([tool]).invoke({ messages: [asking] })) as { messages: ToolMessage[] };
    expect(answered.messages.map((each) => each.text)).toEqual([viewed, editedText]);
    server.take();
  });
});
