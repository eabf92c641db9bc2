import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";

/**
 * A process that approves proposals, and kills itself just before it sends a command. Its arguments: URI, database,
 * node of the memory, proposal, number of the command, and the size of pages or nothing.
 */
const [uri = "", dbName = "", nodeId = "", id = "", last = "", pageBytes] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
let sent = 0;
client.on("commandStarted", () => {
  sent += 1;
  if (sent === Number(last)) process.kill(process.pid, "SIGKILL");
});
const store = new MongoMemoryStore({ client, dbName, ...withPageBytes(parsePageBytes(pageBytes)) });
await store.memory({ nodeId }).proposals?.approve(id, { by: { userId: "ada" } });
await client.close();
