import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";

/**
 * A process that approves proposals, and kills itself just before it sends a command. Its arguments: URI, database,
 * node of the memory, proposal, number of the command, and "history" if the store keeps one or the size of pages.
 */
const [uri = "", dbName = "", nodeId = "", id = "", last = "", ...options] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
let sent = 0;
client.on("commandStarted", () => {
  sent += 1;
  if (sent === Number(last)) process.kill(process.pid, "SIGKILL");
});
const history = options.includes("history");
const pageBytes = withPageBytes(parsePageBytes(options.find((option) => option !== "history")));
const store = new MongoMemoryStore({ client, dbName, history, ...pageBytes });
await store.memory({ nodeId }).proposals?.approve(id, { by: { userId: "ada" } });
await client.close();
