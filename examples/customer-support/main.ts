import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createSupportAgent } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

/** Replaces your sessions. */
const signedIn = new Map([
  ["chat-1", "ada@example.com"],
  ["chat-2", "bob@example.com"],
  ["chat-3", "ada@example.com"],
]);

try {
  const { agent, node, houseRules } = createSupportAgent(model, store, (threadId) => signedIn.get(threadId));
  const ada = node.memory("ada@example.com");
  // Erases what an earlier run left in MongoDB. `delete("/")` keeps the log.
  if (store instanceof MongoMemoryStore)
    for (const userId of signedIn.values()) await store.forget({ nodeId: node.nodeId, scope: "perUser", userId });
  await houseRules.memory().write("/house rules", "Never promise a date.");

  const ask = async (thread_id: string, content: string): Promise<void> => {
    console.log(`\n[${thread_id}, ${signedIn.get(thread_id) ?? "nobody"}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("chat-1", "I run Linux. Is there an update?");
  await ask("chat-2", "How do I update?");
  await ask("chat-3", "How do I update?");

  console.log("\nAda's memory has:");
  for (const { path, text } of await ada.grep("Linux")) console.log(`  ${path}: ${text}`);
} finally {
  await store.stop();
}
