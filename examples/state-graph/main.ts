import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createGraph } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const { graph, node, houseMemory } = createGraph(model, store);
  const ada = node.memory("ada");
  // Erases what an earlier run left in MongoDB. `delete("/")` keeps the log.
  if (store instanceof MongoMemoryStore)
    for (const userId of ["ada", "bob"]) await store.forget({ nodeId: node.nodeId, scope: "perUser", userId });
  await houseMemory.write("/rules", "Answer in one sentence.");

  const ask = async (user_id: string, thread_id: string, content: string): Promise<void> => {
    console.log(`\n[${user_id}, ${thread_id}] ${content}`);
    const config = { configurable: { user_id, thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await graph.invoke({ messages: [{ role: "user", content }] }, config);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("ada", "monday", "I am Ada, and I am vegetarian.");
  await ask("bob", "tuesday", "What shall I eat?");
  await ask("ada", "tuesday", "What shall I eat?");

  console.log("\nAda's memory has:");
  for (const { text } of await ada.grep("vegetarian")) console.log(`  ${text}`);
} finally {
  await store.stop();
}
