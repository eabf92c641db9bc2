import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { MongoClient } from "mongodb";
import { packClient } from "../page-client.config.js";
import { PrivateMongod } from "../__tests__/helpers/mongo-servers.js";
import { MongoMemoryStore } from "../src/mongodb/store/mongo-memory-store.js";
import { clientFiles } from "../src/page/client-files.js";
import { createMemoryPage } from "../src/page/index.js";
import { tellStory } from "./story.js";

/*
 * Serves the page with the memories of the pictures from the sources. Each reload of the page bundles the client again.
 */

const server = await PrivateMongod.start("replicaSet");
const client = new MongoClient(server.uri);
const store = new MongoMemoryStore({ client, dbName: "page", history: true });
const nodes = [await tellStory(store)];
const token = "token-of-development";

const listener = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
listener.on("listening", () => {
  const { port } = listener.address() as AddressInfo;
  process.stdout.write(`the page is at http://127.0.0.1:${port}/#token=${token}\n`);
});
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
