import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";

/** A process that erases the memories of a user. Its arguments: URI, database and user id. */
const [uri = "", dbName = "", userId = ""] = process.argv.slice(2);
const client = new MongoClient(uri);
await new MongoMemoryStore({ client, dbName }).forget({ userId });
await client.close();
