import { MongoClient } from "mongodb";
import { type ServerBounds, serverBounds } from "../../src/mcp/bounds.js";
import { parseMcpOptions } from "../../src/mcp/options.js";
import { serveProcess, StdioConnection } from "../../src/mcp/serve-stdio.js";
import type { McpServerOptions } from "../../src/mcp/index.js";
import { MongoMemoryStore } from "../../src/index.js";

/**
 * A process that serves a memory of the node "n" over stdio, and reports on stderr when it has closed its store. Its
 * arguments: URI, database, and the dialects and bounds as JSON.
 */
const [uri = "", dbName = "", options = "{}"] = process.argv.slice(2);
const client = new MongoClient(uri);
const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: "n" });
const { dialects, ...bounds } = JSON.parse(options) as {
  dialects?: McpServerOptions["dialects"];
} & Partial<ServerBounds>;
const settings = parseMcpOptions("McpServerOptions", { memory, dialects });
let ending = "closed";
try {
  await serveProcess(new StdioConnection(settings, { ...serverBounds, ...bounds }));
} catch (error) {
  ending += `: ${(error as Error).message}`;
  process.exitCode = 1;
}
await client.close();
console.error(ending);
