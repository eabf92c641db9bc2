import { MongoClient } from "mongodb";
import { moveIn, readEntries } from "../../src/move-in/index.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process that moves a file of mem0 into a memory, and kills itself at a change: when the command is sent (`before`),
 * or when the server has made the change (`after`). Its arguments: URI, database, node id, file, when, and which change,
 * from 1.
 */
const [uri = "", dbName = "", nodeId = "", source = "", when = "", last = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
let changes = 0;
client.on(when === "before" ? "commandStarted" : "commandSucceeded", ({ commandName }: { commandName: string }) => {
  if (!["update", "findAndModify", "commitTransaction", "insert", "bulkWrite"].includes(commandName)) return;
  changes += 1;
  if (changes === Number(last)) process.kill(process.pid, "SIGKILL");
});
const store = new MongoMemoryStore({ client, dbName, history: true });
await moveIn(store.memory({ nodeId }), readEntries({ from: "mem0", source }));
await client.close();
