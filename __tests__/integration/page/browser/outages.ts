import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../../src/index.js";
import { Tab } from "../../../helpers/page-browser.js";
import { pageToken } from "../../../helpers/page-client.js";
import { browser, newAddress, viewMemory } from "../../../helpers/shown-page.js";
import { privateMongod, testDatabase } from "../../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
/** @param port 0 for any */
async function serve(listener: RequestListener, port = 0): Promise<{ port: number; end: () => Promise<void> }> {
  const server: Server = createServer(listener);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, end };
}

async function openMemory(store: MongoMemoryStore, port: number): Promise<Tab> {
  const address = newAddress();
  await store.memory(address).write("/notes", "some text\n");
  const tab = await Tab.open(browser(), `http://127.0.0.1:${port}`, pageToken);
  await viewMemory(tab, address, { path: "/notes" });
  await tab.see("some text");
  await tab.see(/^Live$/m);
  return tab;
}

describe("the word Live", () => {
  it("goes when the server of the page has gone, and comes back with it", async () => {
    const store = new MongoMemoryStore({ client, dbName });
    const { nodeListener } = createMemoryPage({ store, token: pageToken });
    const { port, end } = await serve(nodeListener);
    const tab = await openMemory(store, port);
    await end();
    await tab.see("Not live: no answer");
    // What was shown stays.
    await tab.see("some text");
    const again = await serve(nodeListener, port);
    await tab.see(/^Live$/m);
    await tab.page.close();
    await again.end();
  });

  it("goes when the database does not answer, and comes back with it and with what was opened meanwhile", async () => {
    const mongod = await privateMongod("standalone");
    const ownClient = new MongoClient(mongod.uri);
    const store = new MongoMemoryStore({ client: ownClient, dbName, timeoutMs: 1000 });
    const { port, end } = await serve(createMemoryPage({ store, token: pageToken }).nodeListener);
    const tab = await openMemory(store, port);
    await mongod.pause();
    await tab.see("Not live: the database does not answer");
    await tab.see("some text");
    await tab.press("What the model sees", "link");
    await tab.see("No answer");
    mongod.resume();
    await tab.see(/^Live$/m);
    await tab.see("/notes (10 bytes)");
    // The answers of the server about the database.
    expect(tab.faults.filter((fault) => !fault.includes("503"))).toEqual([]);
    await tab.page.close();
    await end();
    await ownClient.close();
  });
});
