import { describe, expect, it } from "@jest/globals";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { CallModelNode, MemoryNode, type MemoryConnectorConfig } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type ClientName, clients, inBrief } from "../../helpers/provider-clients.js";
import { recordingServer } from "../../helpers/recording-server.js";
import { isLong } from "../../helpers/repetitions.js";

type Placement = "after_system" | "before_system" | "last_message";
type Prompt = "in the agent" | "in the messages" | "none";
type Table = [placement: Placement, prompt: Prompt, request: string][];

/** One system message, the same for every provider. */
const merged: Table = [
  ["after_system", "in the agent", String.raw`system "S" "\n\nM" | user "u"`],
  ["after_system", "in the messages", String.raw`system "S" "\n\nM" | user "u"`],
  ["after_system", "none", `system "M" | user "u"`],
  ["before_system", "in the agent", String.raw`system "M\n\n" "S" | user "u"`],
  ["before_system", "in the messages", String.raw`system "M\n\n" "S" | user "u"`],
  ["before_system", "none", `system "M" | user "u"`],
  ["last_message", "in the agent", `system "S" | user "u" | user "M"`],
  ["last_message", "in the messages", `system "S" | user "u" | user "M"`],
  ["last_message", "none", `user "u" | user "M"`],
];

/** As OpenAI takes it. */
const separate: Table = [
  ["after_system", "in the agent", `system "S" | system "M" | user "u"`],
  ["after_system", "in the messages", `system "S" | system "M" | user "u"`],
  ["after_system", "none", `system "M" | user "u"`],
  ["before_system", "in the agent", `system "M" | system "S" | user "u"`],
  ["before_system", "in the messages", `system "M" | system "S" | user "u"`],
  ["before_system", "none", `system "M" | user "u"`],
  ["last_message", "in the agent", `system "S" | user "u" | system "M"`],
  ["last_message", "in the messages", `system "S" | user "u" | system "M"`],
  ["last_message", "none", `user "u" | system "M"`],
];

/** The Anthropic client joins leading system messages; only some models of the provider take a late one. */
const separateOnAnthropic: Table = [
  ["after_system", "in the agent", `system "S" "M" | user "u"`],
  ["after_system", "in the messages", `system "S" "M" | user "u"`],
  ["after_system", "none", `system "M" | user "u"`],
  ["before_system", "in the agent", `system "M" "S" | user "u"`],
  ["before_system", "in the messages", `system "M" "S" | user "u"`],
  ["before_system", "none", `system "M" | user "u"`],
  ["last_message", "in the agent", `system "S" | user "u" | system "M"`],
  ["last_message", "in the messages", `system "S" | user "u" | system "M"`],
  ["last_message", "none", `user "u" | system "M"`],
];

/** What each client is sent for each setting; no row where the client itself refuses. */
const expectations: Record<ClientName, Record<"auto" | "separate" | "merged", Table>> = {
  "ChatOpenAI, chat completions": { auto: separate, separate, merged },
  "ChatOpenAI, responses": { auto: separate, separate, merged },
  "ChatOpenAI with a base URL": { auto: merged, separate, merged },
  "ChatOpenAI with a base URL, responses": { auto: merged, separate, merged },
  ChatAnthropic: { auto: merged, separate: separateOnAnthropic, merged },
  ChatGoogleGenerativeAI: {
    auto: merged,
    separate: merged.filter(([placement, prompt]) => placement !== "last_message" && prompt === "none"),
    merged,
  },
};

const cases = Object.entries(expectations).flatMap(([client, settings]) =>
  Object.entries(settings).flatMap(([systemMessages, table]) =>
    table.map((row) => [client as ClientName, systemMessages as keyof typeof settings, ...row] as const),
  ),
);

interface Run {
  model: BaseChatModel;
  node: MemoryNode;
  config: MemoryConnectorConfig;
  prompt: Prompt;
}

const getMessages = (prompt: Prompt): BaseMessage[] => [
  ...(prompt === "in the messages" ? [new SystemMessage("S")] : []),
  new HumanMessage("u"),
];

const ways: Record<string, (run: Run) => Promise<unknown>> = {
  "a CallModelNode": ({ model, node, config, prompt }) =>
    new CallModelNode({
      model,
      tools: node.memoryTools,
      memoryConnector: node.createConnector(config),
      ...(prompt === "in the agent" && { systemPrompt: "S" }),
    }).invoke({ messages: getMessages(prompt) }),
  createAgent: ({ model, node, config, prompt }) =>
    createAgent({
      model,
      tools: [],
      middleware: [memoryMiddleware({ memory: node, ...config })],
      ...(prompt === "in the agent" && { systemPrompt: "S" }),
    }).invoke({ messages: getMessages(prompt) }),
};

async function nodeWithNotes(): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
  await node.memory().append("/notes/today", "first line\nsecond line");
  return node;
}

/** The usual run has all settings of the first way, and of the other one what is usual for each client. */
const getCases = (way: string): typeof cases =>
  isLong || way === "a CallModelNode" ? cases : cases.filter(([, systemMessages]) => systemMessages === "auto");

describe.each(Object.entries(ways))("the request that %s makes", (way, run) => {
  const server = recordingServer();

  it.each(getCases(way))(
    "to %s, systemMessages %s, placement %s, prompt %s, is %s",
    async (name, systemMessages, placement, prompt, expected) => {
      const node = await nodeWithNotes();
      const config: MemoryConnectorConfig = { placement, systemMessages, content: "full" };
      await run({ model: clients[name](server), node, config, prompt });
      const memory = (await node.createConnector(config).renderMessage())?.text ?? "";
      expect(memory).toContain("| second line");
      expect(server.take().map((request) => inBrief(request, memory))).toEqual([expected]);
    },
  );

  it.each(Object.keys(clients) as ClientName[])(
    "to %s holds the memory as the user's message where role is user",
    async (name) => {
      for (const placement of ["after_system", "before_system", "last_message"] as const) {
        for (const prompt of ["in the agent", "in the messages", "none"] as const) {
          const node = await nodeWithNotes();
          const config: MemoryConnectorConfig = { placement, role: "user", content: "full" };
          await run({ model: clients[name](server), node, config, prompt });
          const memory = (await node.createConnector(config).renderMessage())?.text ?? "";
          const turns = placement === "last_message" ? `user "u" | user "M"` : `user "M" | user "u"`;
          expect(server.take().map((request) => inBrief(request, memory))).toEqual([
            prompt === "none" ? turns : `system "S" | ${turns}`,
          ]);
        }
      }
    },
  );

  it("to Google is refused by its client where messages are separate", async () => {
    const node = await nodeWithNotes();
    const model = clients.ChatGoogleGenerativeAI(server);
    const request = run({ model, node, config: { systemMessages: "separate" }, prompt: "in the agent" });
    await expect(request).rejects.toThrow("System message should be the first one");
    expect(server.take()).toEqual([]);
  });
});
