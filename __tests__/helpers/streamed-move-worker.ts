import { MongoClient } from "mongodb";
import { moveIn, type MoveInEntry } from "../../src/move-in/index.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/**
 * A process that moves a stream of entries into a memory, 80 MB in all, and prints the report. Its arguments:
 * URI, database, node id, and how many memories.
 */
const [uri = "", dbName = "", nodeId = "", given = ""] = process.argv.slice(2);
const count = Number(given);
const text = "about tea ".repeat(8_000_000 / count);

async function* listEntries(): AsyncGenerator<MoveInEntry> {
  for (let number = 0; number < count; number += 1) {
    const at = new Date(Date.UTC(2000, 0, 1) + number * 3_600_000);
    const path = number % 2 === 0 ? `/facts/${at.toISOString().slice(0, 7)}.md` : `/files/${number}.md`;
    yield { path, ...(number % 2 === 0 && { id: String(number) }), content: `Fact ${number} ${text}`, at };
  }
}

const client = new MongoClient(uri);
const store = new MongoMemoryStore({ client, dbName, history: true });
const { written, skipped } = await moveIn(store.memory({ nodeId }), listEntries());
process.stdout.write(JSON.stringify({ written, skipped }));
await client.close();
