import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";

/**
 * A process that appends `count` lines at once. Its arguments: URI, database, node id, name, count, the size of pages or
 * nothing, and the paths of the files or none for `/log`.
 */
const [uri = "", dbName = "", nodeId = "", name = "", count = "0", pageBytes, ...paths] = process.argv.slice(2);
const client = new MongoClient(uri);
const store = new MongoMemoryStore({ client, dbName, ...withPageBytes(parsePageBytes(pageBytes)) });
const memory = store.memory({ nodeId });
const append = (_: unknown, index: number): Promise<void> =>
  memory.append(paths[index % paths.length] ?? "/log", `${name} ${index}`);
await Promise.all(Array.from({ length: Number(count) }, append));
await client.close();
