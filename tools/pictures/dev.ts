import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { MongoClient } from "mongodb";
import { packClient } from "../build/page-client.js";
import { PrivateMongod } from "../../__tests__/helpers/mongo-servers.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { clientFiles } from "../../src/page/client-files.js";
import { createMemoryPage } from "../../src/page/index.js";
import { tellStory } from "./story.js";

/*
 * Serves the page with the memories of the pictures from the sources. Each reload of the page bundles the client again. A
 * change of the server's code starts the program again, at the same address.
 */

const server = await PrivateMongod.start("replicaSet");
const client = new MongoClient(server.uri);
const store = new MongoMemoryStore({ client, dbName: "page", history: true });
const nodes = [await tellStory(store)];
const token = "token-of-development";

const port = 4174;
createServer((request, response) => void answer(request, response)).listen(port, "127.0.0.1", () =>
  process.stdout.write(`the page is at http://127.0.0.1:${port}/#token=${token}\n`),
);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/") Object.assign(clientFiles, await packClient());
  createMemoryPage({ store, nodes, token, access: "write" }).nodeListener(request, response);
}

async function end(): Promise<void> {
  await client.close();
  await server.stop();
  process.exit();
}
