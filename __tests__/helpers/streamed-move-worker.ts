import { MongoClient } from "mongodb";
import { moveIn } from "../../src/move-in/index.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process that moves a stream of mem0's memories into a memory, 80 MB in all, and prints the report. Its arguments:
 * URI, database, node id, and how many memories.
 */
const [uri = "", dbName = "", nodeId = "", given = ""] = process.argv.slice(2);
const count = Number(given);
const text = "about tea ".repeat(8_000_000 / count);

async function* listMemories(): AsyncGenerator<string> {
  for (let number = 0; number < count; number += 1) {
    const created_at = new Date(Date.UTC(2000, 0, 1) + number * 3_600_000);
    yield `${JSON.stringify({ id: String(number), memory: `Fact ${number} ${text}`, created_at })}\n`;
  }
}

const client = new MongoClient(uri);
const store = new MongoMemoryStore({ client, dbName, history: true });
const { written, skipped } = await moveIn(store.memory({ nodeId }), { from: "mem0", source: listMemories() });
process.stdout.write(JSON.stringify({ written, skipped }));
await client.close();
