import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { MongoClient } from "mongodb";
import { PrivateMongod } from "../../__tests__/helpers/mongo-servers.js";
import { startBrowser } from "../../__tests__/helpers/page-browser.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import type * as pageEntry from "../../src/page/index.js";
import { encodeAnimation } from "./animation.js";
import { pictureOwnPage } from "./own-page.js";
import { picturePage } from "./page.js";
import { recordPage } from "./recording.js";
import { pictureTerminal } from "./terminal.js";
import { tracePictures } from "./traces.js";

await drawPageAndTerminal();
for (const [file, picture] of Object.entries(await tracePictures())) await writeFile(file, picture);

async function drawPageAndTerminal(): Promise<void> {
  const server = await PrivateMongod.start("standalone");
  const [client, browser] = [new MongoClient(server.uri), await startBrowser()];
  try {
    const dbName = `pictures_${randomUUID()}`;
    const entry = (await import(new URL("../../dist/page.js", import.meta.url).href)) as typeof pageEntry;
    const { tree, image } = await picturePage(browser, new MongoMemoryStore({ client, dbName, history: true }), entry);
    await writeFile("docs/images/page.webp", image);
    await writeFile("docs/images/page.txt", `${tree}\n`);
    const ownStore = new MongoMemoryStore({ client, dbName: `${dbName}_own`, history: true });
    const own = await pictureOwnPage(browser, ownStore, entry);
    await writeFile("docs/images/my-memory.webp", own.image);
    await writeFile("docs/images/my-memory.txt", `${own.tree}\n`);
    const recorded = new MongoMemoryStore({ client, dbName: `${dbName}_recorded`, history: true });
    const { frames, scenes } = await recordPage(browser, recorded, entry, true);
    await writeFile("docs/images/recording.webp", await encodeAnimation(frames));
    await writeFile("docs/images/recording.txt", scenes);
    await writeFile("docs/images/terminal.svg", await pictureTerminal(server.uri, dbName));
  } finally {
    await browser.close();
    await client.close();
    await server.stop();
  }
}
