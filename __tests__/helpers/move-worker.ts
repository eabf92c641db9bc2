import { MongoClient } from "mongodb";
import type { LayoutName } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/** A process of its own that moves a memory: URI, database, node id and the layout that it moves away from are its arguments. */
const [uri = "", dbName = "", nodeId = "", layout = ""] = process.argv.slice(2);
const client = new MongoClient(uri);
await new MongoMemoryStore({ client, dbName, layout: layout as LayoutName }).moveMemory({ nodeId }, { layout: layout === "files" ? "document" : "files" });
await client.close();
