import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/** A process that appends `count` lines at once. Its arguments: URI, database, node id, name and count. */
const [uri = "", dbName = "", nodeId = "", name = "", count = "0"] = process.argv.slice(2);
const client = new MongoClient(uri);
const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
await Promise.all(Array.from({ length: Number(count) }, (_, index) => memory.append("/log", `${name} ${index}`)));
await client.close();
