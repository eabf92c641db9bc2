import { MongoClient } from "mongodb";
import type { DialectName } from "../../src/dialects/registry.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { createPersistentAgent } from "./persistent-agent.js";
import type { ScriptedCall } from "./scripted-chat-model.js";

/**
 * A process in which an agent calls a tool of a dialect. The process kills itself when the server has made the change
 * and the answer arrives. Its arguments: URI, database, node id, thread, dialect, call as JSON, and which change of the
 * memory it is, from 1.
 */
const [uri = "", dbName = "", nodeId = "", thread_id = "", dialect = "", call = "", last = ""] = process.argv.slice(2);
const [own, client] = [new MongoClient(uri), new MongoClient(uri, { monitorCommands: true })];
let changes = 0;
client.on("commandSucceeded", ({ commandName }) => {
  if (!["update", "findAndModify", "commitTransaction"].includes(commandName)) return;
  changes += 1;
  if (changes === Number(last)) process.kill(process.pid, "SIGKILL");
});
const memory = new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId });
const made = { dialect: dialect as DialectName, call: JSON.parse(call) as ScriptedCall };
const agent = createPersistentAgent(own, dbName, memory, made);
await agent.invoke(
  { messages: [{ role: "user", content: "go" }] },
  { configurable: { thread_id }, durability: "sync" },
);
await Promise.all([own.close(), client.close()]);
