import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { type GraphDefinition, MemoryError, MongoMemoryStore } from "langgraph-mongo-memory";
import { createGraph, readDefinition, withHouseRules } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const definition = await readDefinition();
  const graph = createGraph(definition, model, store);
  // Deletes the note of an earlier run in MongoDB.
  await graph.memory("M").memory().delete("/garden");

  const ask = async (content: string): Promise<void> => {
    const agent = graph.agent("A");
    console.log(`\nTools: ${agent.callModel.tools.map(({ name }) => name).join(", ")}\n${content}`);
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content }] },
      { callbacks: [new MessagePrinter()] },
    );
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("Note in /garden/beans of your memory: I water the beans on Mondays.");

  graph.apply(withHouseRules(definition));
  await graph.memory("R").memory().write("/house rules", "End with a question.");
  await ask("Look into /garden/beans of your memory: when do I water the beans?");

  console.log("\nA definition with faults:");
  const edges = [{ source: "A", sourceHandle: "tool", target: "T9", targetHandle: "$self" }];
  try {
    graph.apply({ ...definition, edges } as GraphDefinition);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    console.log(error.message.replaceAll(/^/gm, "  "));
  }
} finally {
  await store.stop();
}
