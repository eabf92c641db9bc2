import { existsSync } from "node:fs";
import { Command, InMemoryStore, isInterrupted } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MongoMemoryStore, openMemory } from "langgraph-mongo-memory";
import { createGraph, nodeId } from "./agent.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

try {
  const threadId = "ada";
  const graph = createGraph(model, store);
  const memory = openMemory(store, { nodeId, scope: "perThread", threadId });
  // Deletes notes of an earlier run in MongoDB.
  await memory.delete("/");

  const config = { configurable: { thread_id: threadId } };
  const notes = async (): Promise<string> =>
    JSON.stringify((await memory.snapshot()).files.map(({ path, content }) => `${path}: ${content}`));
  const ask = async (content: string, decision: string): Promise<void> => {
    console.log(`\n[${threadId}] ${content}`);
    let state = await graph.invoke({ messages: [{ role: "user", content }] }, config);
    while (isInterrupted(state)) {
      console.log(`  To approve: ${JSON.stringify(state.__interrupt__[0]?.value)}`);
      console.log(`  The notes meanwhile: ${await notes()}\n  The person says ${decision}.`);
      state = await graph.invoke(new Command({ resume: decision }), config);
    }
    console.log(`  Answer: ${state.messages.at(-1)?.text}`);
  };

  await ask("Please deliver to 5 Mill Lane.", "yes");
  await ask("My neighbour's door code is 4711.", "no");
  await ask("Where do you deliver?", "no");

  console.log(`\nThe notes now: ${await notes()}`);
} finally {
  await store.stop();
}
