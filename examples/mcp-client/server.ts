import { InMemoryStore } from "@langchain/langgraph";
import { MongoMemoryStore, openMemory } from "langgraph-mongo-memory";
import { serveStdio } from "langgraph-mongo-memory/mcp";

const { MONGODB_URI: uri } = process.env;
const store = uri ? await MongoMemoryStore.fromConnString(uri) : new InMemoryStore();
// Standard output belongs to the protocol, so text for people goes to standard error.
console.error(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
try {
  await serveStdio({ memory: openMemory(store, { nodeId: "example-mcp-client" }) });
} finally {
  await store.stop();
}
