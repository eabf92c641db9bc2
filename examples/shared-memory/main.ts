import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createAgents } from "./agent.js";
import { MessagePrinter } from "./print.js";
import { scriptedModels } from "./scripted-models.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : undefined;
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const models = model ? { roads: model, weather: model, desk: model } : scriptedModels();
  const { node, reading, roads, weather, desk } = createAgents(models, store);
  const memory = node.memory();
  // Deletes notes of an earlier run in MongoDB.
  await memory.delete("/");

  // Both agents write to one file at the same time. Neither note is lost.
  await Promise.all([
    roads.invoke({ messages: [{ role: "user", content: "The bridge at Mill Lane is closed." }] }),
    weather.invoke({ messages: [{ role: "user", content: "A storm comes from the west at noon." }] }),
  ]);
  const findings = (await memory.read("/findings")).split("\n").toSorted();
  console.log("\nThe findings of both agents, sorted:");
  for (const finding of findings) console.log(`  ${finding}`);

  // Either of the two may have been first. The rest of this output must not depend on it.
  await memory.write("/findings", findings.join("\n"));
  const question = "Delete the findings, then tell me how the roads are.";
  console.log(`\n[desk] ${question}`);
  const { messages } = await desk.invoke(
    { messages: [{ role: "user", content: question }] },
    { callbacks: [new MessagePrinter()] },
  );
  console.log(`  Answer: ${messages.at(-1)?.text}`);

  const refused = await reading.invoke({ command: "append", path: "/findings", content: "All is well." });
  console.log(`\nThe read-only tool, asked to append: ${refused}`);
} finally {
  await store.stop();
}
