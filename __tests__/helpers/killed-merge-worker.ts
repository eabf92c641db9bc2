import { MongoClient } from "mongodb";
import { mergeMemories, MongoMemoryStore } from "../../src/index.js";

/**
 * A process that merges the memory of a node into that of another, and kills itself just before it sends a command. Its
 * arguments: URI, database, both node ids, and the number of the command.
 */
const [uri = "", dbName = "", from = "", into = "", last = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
const store = new MongoMemoryStore({ client, dbName, history: true });
await store.start();
let sent = 0;
client.on("commandStarted", () => {
  sent += 1;
  if (sent === Number(last)) process.kill(process.pid, "SIGKILL");
});
await mergeMemories(store.memory({ nodeId: from }), store.memory({ nodeId: into }));
await client.close();
