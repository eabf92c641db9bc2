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
  const { graph, memoryNode, houseMemory } = createGraph(model, store);
  const [ada, bob] = [memoryNode.memory("ada"), memoryNode.memory("bob")];
  // Deletes notes of an earlier run in MongoDB.
  await Promise.all([houseMemory, ada, bob].map((memory) => memory.delete("/")));
  await houseMemory.write("/rules", "Answer in one sentence.");

  const ask = async (thread_id: string, content: string): Promise<void> => {
    console.log(`\n[${thread_id}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await graph.invoke({ messages: [{ role: "user", content }] }, config);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("ada", "I am Ada, and I am vegetarian.");
  await ask("bob", "What shall I eat?");
  await ask("ada", "What shall I eat?");

  console.log("\nThe files of Ada's thread now:");
  for (const { path, content } of (await ada.snapshot()).files) console.log(`  ${path}: ${content}`);
} finally {
  await store.stop();
}
