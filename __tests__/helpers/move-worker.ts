import { writeSync } from "node:fs";
import { MongoClient } from "mongodb";
import type { LayoutName } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process that begins to move a memory, reports the middle of the transaction, and then stops. Its arguments: URI,
 * database, node id and the layout from which it moves.
 */
const [uri = "", dbName = "", nodeId = "", layout = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
client.on("commandStarted", ({ commandName, command }) => {
  if (command["autocommit"] !== false || commandName !== (layout === "files" ? "delete" : "insert")) return;
  writeSync(1, "in the middle");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
await new MongoMemoryStore({ client, dbName, layout: layout as LayoutName }).moveMemory(
  { nodeId },
  { layout: layout === "files" ? "document" : "files" },
);
