import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { startDevServer } from "./dev-server.js";

if (existsSync(".env")) process.loadEnvFile();
const { MONGODB_URI: uri } = process.env;
const store = uri ? await MongoMemoryStore.fromConnString(uri) : undefined;
console.log(`Store: ${store ? "MongoMemoryStore" : "the server's own (set MONGODB_URI for MongoDB)"}`);

const nodeId = "example-langgraph-server";
const directory = await mkdtemp(join(tmpdir(), `${nodeId}-`));
try {
  // Deletes notes of an earlier run in MongoDB.
  await store?.memory({ nodeId }).delete("/");
  const server = await startDevServer(fileURLToPath(new URL("langgraph.json", import.meta.url)), directory);
  try {
    const client = new Client({ apiUrl: server.url });

    /** Asks a question in a new thread, as another user would. */
    const ask = async (content: string): Promise<void> => {
      console.log(`\n[new thread] ${content}`);
      const { thread_id } = await client.threads.create();
      const state = await client.runs.wait(thread_id, "operations", {
        input: { messages: [{ role: "user", content }] },
      });
      const { messages } = state as unknown as { messages: { content: string }[] };
      console.log(`  Answer: ${messages.at(-1)?.content}`);
    };

    await ask("Staging moved to port 8443. Please remember it.");
    await ask("On which port is staging?");

    // The notes are items of the store, in the same form in both stores.
    const namespace = ["memory", nodeId, "global"];
    const items = store ? await store.search(namespace) : (await client.store.searchItems(namespace)).items;
    console.log("\nThe items of /servers now:");
    for (const { key, value } of items)
      if (key.startsWith("/servers/")) console.log(`  ${key}: ${JSON.stringify(value)}`);
  } finally {
    await server.stop();
  }
} finally {
  await rm(directory, { recursive: true });
  await store?.stop();
}
