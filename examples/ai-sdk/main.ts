import { existsSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createCookingAgent } from "./agent.js";
import { printStep } from "./print-step.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { AI_GATEWAY_API_KEY: key, AI_MODEL: modelName = "openai/gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? modelName : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? modelName : "scripted (set AI_GATEWAY_API_KEY for a real one)"}`);

try {
  const { agent, node, log } = createCookingAgent(model, store);
  // Erases what an earlier run left in MongoDB. `delete("/")` keeps the log.
  if (store instanceof MongoMemoryStore)
    for (const userId of ["ada@example.com", "bob@example.com"])
      await store.forget({ nodeId: node.nodeId, scope: "perUser", userId });

  const ask = async (userId: string, threadId: string, prompt: string): Promise<void> => {
    console.log(`\n[${userId}] ${prompt}`);
    const { text } = await agent.generate({ prompt, options: { userId }, onStepStart: printStep });
    console.log(`  Answer: ${text}`);
    await log(userId, threadId, prompt, text);
  };

  await ask("ada@example.com", "thread-1", "I am vegetarian.");
  // Another conversation: it has no messages of the first.
  await ask("ada@example.com", "thread-2", "What shall I eat?");
  await ask("bob@example.com", "thread-3", "What shall I eat?");
} finally {
  await store.stop();
}
