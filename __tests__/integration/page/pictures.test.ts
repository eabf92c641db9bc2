import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import type { Browser } from "puppeteer-core";
import { MongoMemoryStore } from "../../../src/index.js";
import { pictureOwnPage } from "../../../tools/pictures/own-page.js";
import { picturePage } from "../../../tools/pictures/page.js";
import { recordPage } from "../../../tools/pictures/recording.js";
import { pictureTerminal } from "../../../tools/pictures/terminal.js";
import { startBrowser } from "../../helpers/page-browser.js";
import { testDatabase } from "../../helpers/test-database.js";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

describe("the pictures of the README", () => {
  it("show what a person sees of themselves; else run npm run docs:pictures", async () => {
    const { client: ownClient, name } = testDatabase();
    const told = new MongoMemoryStore({ client: ownClient, dbName: name, history: true });
    const { tree } = await pictureOwnPage(browser, told, { createMemoryPage });
    expect(`${tree}\n`).toBe(await readFile("docs/images/my-memory.txt", "utf8"));
  });

  it("show the page and the command line as they are; else run npm run docs:pictures", async () => {
    // The header counts what waits in the whole database.
    const own = testDatabase();
    const told = new MongoMemoryStore({ client: own.client, dbName: own.name, history: true });
    const { tree } = await picturePage(browser, told, { createMemoryPage });
    expect(`${tree}\n`).toBe(await readFile("docs/images/page.txt", "utf8"));
    expect(await pictureTerminal(own.uri, own.name)).toBe(await readFile("docs/images/terminal.svg", "utf8"));
  });

  it("play the scenes of the recording as they are; else run npm run docs:pictures", async () => {
    const own = testDatabase();
    const told = new MongoMemoryStore({ client: own.client, dbName: own.name, history: true });
    const { scenes } = await recordPage(browser, told, { createMemoryPage }, false);
    expect(scenes).toBe(await readFile("docs/images/recording.txt", "utf8"));
  });
});
