import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process of its own that approves proposals, and kills itself just before it sends a command. Its arguments are the
 * URI, the database, the node of the memory, the proposal, and the number of the command.
 */
const [uri = "", dbName = "", nodeId = "", id = "", last = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
let sent = 0;
client.on("commandStarted", () => {
  sent += 1;
  if (sent === Number(last)) process.kill(process.pid, "SIGKILL");
});
const store = new MongoMemoryStore({ client, dbName });
await store.memory({ nodeId }).proposals?.approve(id, { by: { userId: "ada" } });
await client.close();
