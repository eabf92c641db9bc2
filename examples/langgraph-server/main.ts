import { equal, match } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { say } from "../shared/print.js";
import { startDevServer } from "./dev-server.js";

const { MONGODB_URI: uri } = process.env;
const store = uri ? await MongoMemoryStore.fromConnString(uri) : undefined;
say(`Store: ${store ? "MongoMemoryStore" : "the server's own (set MONGODB_URI for MongoDB)"}`);

const nodeId = "example-langgraph-server";
const directory = await mkdtemp(join(tmpdir(), `${nodeId}-`));
try {
  // An earlier run may have left notes in MongoDB.
  await store?.memory({ nodeId }).delete("/");
  const server = await startDevServer(fileURLToPath(new URL("langgraph.json", import.meta.url)), directory);
  try {
    const client = new Client({ apiUrl: server.url });

    /** A question in a thread of its own, as from another user. */
    const ask = async (content: string): Promise<string> => {
      say(`\n[new thread] ${content}`);
      const { thread_id } = await client.threads.create();
      const state = await client.runs.wait(thread_id, "operations", { input: { messages: [{ role: "user", content }] } });
      const { messages } = state as unknown as { messages: { type: string; content: string }[] };
      equal(messages.filter(({ type }) => type === "system").length, 0, "the memory is no part of the thread's state");
      const answer = messages.at(-1)?.content ?? "";
      say(`  Answer: ${answer}`);
      return answer;
    };

    await ask("Staging moved to port 8443. Please remember it.");
    match(await ask("On which port is staging?"), /8443/, "another thread answers from the memory");

    // The notes are items of the store, the same in both.
    const namespace = ["memory", nodeId, "global"];
    const items = store ? await store.search(namespace) : (await client.store.searchItems(namespace)).items;
    match(JSON.stringify(items), /8443/, "the note is in the store");
    say("\nThe items now:");
    for (const { key, value } of items) say(`  ${key}: ${JSON.stringify(value)}`);
  } finally {
    await server.stop();
  }
} finally {
  await rm(directory, { recursive: true });
  await store?.stop();
}
