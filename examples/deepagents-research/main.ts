import { existsSync } from "node:fs";
import type { BaseMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createMemoryNode, createResearchAgent } from "./agent.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const node = createMemoryNode(store);
  const memory = node.memory();
  // Deletes notes of an earlier run in MongoDB.
  await memory.delete("/");
  await memory.write(
    "/AGENTS.md",
    "Keep what you find out in /memories/comets, one file for each comet:\n- halley: open\n- encke: open\n",
  );

  /** Creates a new agent each time, as another process would. The agents share only the memory. */
  const ask = async (thread_id: string, content: string): Promise<void> => {
    console.log(`\n[${thread_id}] ${content}`);
    const agent = createResearchAgent(model, node);
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, { configurable: { thread_id } });
    print(messages);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("monday", "How often do the comets Halley and Encke return?");
  await ask("tuesday", "Which returns more often, Halley or Encke?");

  console.log("\nThe memory now:");
  const { files } = await memory.snapshot();
  for (const { path, content } of files) console.log(`  ${path}\n${content.trimEnd().replaceAll(/^/gm, "    | ")}`);
} finally {
  await store.stop();
}

/** Prints the tool calls and their answers. */
function print(messages: readonly BaseMessage[]): void {
  for (const message of messages) {
    const calls = "tool_calls" in message ? (message.tool_calls as { name: string; args: unknown }[]) : [];
    for (const { name, args } of calls) console.log(`  ${name}(${JSON.stringify(args)})`);
    if (message.type === "tool") console.log(message.text.replaceAll(/^/gm, "    | "));
  }
}
