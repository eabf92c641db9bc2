import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore, openMemory } from "langgraph-mongo-memory";
import { createOperationsAgent, nodeId } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const memory = openMemory(store, { nodeId });
  // Deletes notes of an earlier run in MongoDB.
  await memory.delete("/");
  const agent = createOperationsAgent(model, store);

  const ask = async (thread_id: string, content: string): Promise<void> => {
    console.log(`\n[${thread_id}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("monday", "Staging moved to port 8443. Please remember it.");
  await ask("tuesday", "On which port is staging?");

  console.log("\nThe memory now:");
  for (const { path, content } of (await memory.snapshot()).files) console.log(`  ${path}: ${content}`);
} finally {
  await store.stop();
}
