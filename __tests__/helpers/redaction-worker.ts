import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";

/**
 * A process that redacts a text, and kills itself just before it sends a command or right after the answer. Its
 * arguments: URI, database, node of the memory, text, event of the driver, number of the command, and the size of pages
 * or nothing.
 */
const [uri = "", dbName = "", nodeId = "", text = "", event = "", last = "", pageBytes] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
let count = 0;
client.on(event as "commandStarted", () => {
  count += 1;
  if (count === Number(last)) process.kill(process.pid, "SIGKILL");
});
const store = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(parsePageBytes(pageBytes)) });
await store.memory({ nodeId }).history?.redact({ text, cut: true });
await client.close();
