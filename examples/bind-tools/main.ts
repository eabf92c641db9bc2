import { existsSync } from "node:fs";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createLoop } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}\n`);

try {
  const { node, run } = createLoop(model, store);
  // Deletes notes of an earlier run in MongoDB.
  await node.memory().delete("/");

  const messages: BaseMessage[] = [
    new SystemMessage("You keep the task list of a garden in /tasks/garden of your memory. Look there first."),
    new HumanMessage("To do: water the beans, sow kale. The beans are watered already."),
  ];
  await run(messages, { callbacks: [new MessagePrinter()] });
  console.log(`  Answer: ${messages.at(-1)?.text}`);

  console.log("\nThe memory now:");
  const { files } = await node.memory().snapshot();
  for (const { path, content } of files) console.log(`  ${path}:\n${content.replaceAll(/^/gm, "    ")}`);
} finally {
  await store.stop();
}
