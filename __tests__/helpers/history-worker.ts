import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";

/**
 * A process that appends `count` lines with history, all at once or one after the other, and can kill itself at a step.
 * Its arguments: URI, database, node id, name, count, an event and a command of the driver at which it dies, or two
 * empty ones, and the size of pages or nothing.
 */
const [uri = "", dbName = "", nodeId = "", name = "", count = "0", event, commandName, pageBytes] =
  process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
const memory = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(parsePageBytes(pageBytes)) })
  .memory({ nodeId })
  .with({ actor: { client: name } });
const append = (index: number): Promise<void> => memory.append("/log", `${name} ${index}`);
if (!event) {
  await Promise.all(Array.from({ length: Number(count) }, (_, index) => append(index)));
} else {
  for (let index = 0; index < Number(count) - 1; index += 1) await append(index);
  client.on(event as "commandStarted", (sent) => {
    if (sent.commandName === commandName) process.kill(process.pid, "SIGKILL");
  });
  await append(Number(count) - 1);
  // The history is written from the outbox after the change has answered.
  await sleep(10_000);
}
await client.close();
