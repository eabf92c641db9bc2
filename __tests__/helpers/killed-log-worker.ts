import { MongoClient } from "mongodb";
import { MemoryNode } from "../../src/graph/memory-node.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { createLoggingAgent } from "./logging-agent.js";

/**
 * A process in which an agent answers and logs. The process kills itself at a change of the log: when the command is
 * sent (`before`), or when the server has made the change (`after`). Its arguments: URI, database, node id, thread,
 * text of the user, when, and which change, from 1.
 */
const [uri = "", dbName = "", nodeId = "", thread_id = "", text = "", when = "", last = ""] = process.argv.slice(2);
const [own, client] = [new MongoClient(uri), new MongoClient(uri, { monitorCommands: true })];
let changes = 0;
client.on(when === "before" ? "commandStarted" : "commandSucceeded", ({ commandName }: { commandName: string }) => {
  if (!["update", "findAndModify", "commitTransaction"].includes(commandName)) return;
  changes += 1;
  if (changes === Number(last)) process.kill(process.pid, "SIGKILL");
});
const store = new MongoMemoryStore({ client, dbName, history: true });
const agent = createLoggingAgent(own, dbName, new MemoryNode({ nodeId, store }));
const messages = [{ role: "user", content: text }];
await agent.invoke({ messages }, { configurable: { thread_id }, durability: "sync" });
await Promise.all([own.close(), client.close()]);
