import { MongoClient } from "mongodb";
import type { DialectName } from "../../src/dialects/registry.js";
import { serveStdio } from "../../src/mcp/index.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process that serves a memory of the node "n" over stdio, and reports on stderr when it has closed its store. Its
 * arguments: URI, database, and further options as JSON.
 */
const [uri = "", dbName = "", options = "{}"] = process.argv.slice(2);
const client = new MongoClient(uri);
const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: "n" });
await serveStdio({
  memory,
  ...(JSON.parse(options) as { dialects?: DialectName[]; maxMessageBytes?: number; watchIntervalMs?: number }),
});
await client.close();
console.error("closed");
