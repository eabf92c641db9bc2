import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/** A process of its own that forgets a user: URI, database and user id are its arguments. */
const [uri = "", dbName = "", userId = ""] = process.argv.slice(2);
const client = new MongoClient(uri);
await new MongoMemoryStore({ client, dbName }).forget({ userId });
await client.close();
