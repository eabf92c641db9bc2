import type { MongoClient } from "mongodb";
import type * as pageEntry from "../../src/page/index.js";
import { startBrowser } from "../../__tests__/helpers/page-browser.js";
import { machineLine } from "../measuring/machine.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { builtPackage, entryOf } from "../package/built-package.js";
import { measureBrowser } from "./browser.js";
import { bigMemory, fillDatabase } from "./fixture.js";
import { measureHandler } from "./handler.js";

/** What the page costs beside what it asks of the database, and how fast a person sees it. */
export async function measurePage(rounds: number): Promise<string> {
  return onServer("standalone", async (uri) => {
    const measured = await inDatabase(uri, {}, (client, dbName) => measureAll(client, dbName, rounds));
    return [
      "## Measured",
      "",
      await machineLine({ mongod: await mongodVersion(uri), rounds }),
      "",
      ...measured,
      "",
    ].join("\n");
  });
}

async function measureAll(client: MongoClient, dbName: string, rounds: number): Promise<string[]> {
  const { MongoMemoryStore } = await builtPackage();
  const store = new MongoMemoryStore({ client, dbName, history: true });
  await fillDatabase(client, dbName, store);
  const entry = (await import(entryOf("page").href)) as typeof pageEntry;
  const handler = await measureHandler(store, entry, rounds);
  const browser = await startBrowser();
  try {
    return [...handler, "", ...(await measureBrowser(browser, store, entry, bigMemory))];
  } finally {
    await browser.close();
  }
}
