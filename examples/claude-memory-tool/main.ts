import { existsSync } from "node:fs";
import { ChatAnthropic } from "@langchain/anthropic";
import { InMemoryStore } from "@langchain/langgraph";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createClaudeAgent } from "./agent.js";
import { printing } from "./print-requests.js";
import { fetchScripted } from "./scripted-claude.js";

if (existsSync(".env")) process.loadEnvFile();
const { ANTHROPIC_API_KEY: key, ANTHROPIC_MODEL: modelName = "claude-opus-4-8", MONGODB_URI: uri } = process.env;
const clientOptions = { fetch: printing(key ? fetch : fetchScripted) };
const model = new ChatAnthropic({ model: modelName, apiKey: key || "none", clientOptions });
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(
  `Model: ChatAnthropic${key ? ` ${modelName}` : ", answered by a script (set ANTHROPIC_API_KEY for Claude)"}`,
);

try {
  const { node, agent } = createClaudeAgent(model, store);
  const memory = node.memory();
  // Deletes notes of an earlier run in MongoDB.
  await memory.delete("/");

  const ask = async (content: string): Promise<void> => {
    console.log(`\n[new conversation] ${content}`);
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] });
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("Staging listens on port 8443. Note it in /memories/staging.md.");
  // Programs and Claude use the same memory.
  await memory.update("/staging.md", "8443", "9443");
  await ask("On which port does staging listen?");
} finally {
  await store.stop();
}
