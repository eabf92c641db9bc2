import { MongoClient } from "mongodb";
import { createJournalTools } from "../../src/langchain/journal/index.js";
import { MongoMemoryStore } from "../../src/index.js";

/**
 * A process that writes keys into a journal at once, alternately to the day and to the summary, and prints the answers
 * as a JSON array. Its arguments: URI, database, node id, and the keys as a JSON array.
 */
const [uri = "", dbName = "", nodeId = "", keys = "[]"] = process.argv.slice(2);
const client = new MongoClient(uri);
const [write] = createJournalTools(new MongoMemoryStore({ client, dbName }).memory({ nodeId }));
const answers = await Promise.all(
  (JSON.parse(keys) as string[]).map(async (key, index) => {
    const target = (index + process.pid) % 2 === 0 ? "daily" : "summary";
    return write?.invoke({ key, content: `of ${key} by ${process.pid}`, target });
  }),
);
console.log(JSON.stringify(answers));
await client.close();
