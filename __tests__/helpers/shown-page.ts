import type { Server } from "node:http";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import type { Browser } from "puppeteer-core";
import type { MemoryAddress } from "../../src/index.js";
import type { MemoryPageOptions } from "../../src/page/index.js";
import { listening, startBrowser, Tab } from "./page-browser.js";
import { pageQuery, pageToken } from "./page-client.js";

let started: Browser | undefined;
const servers: Server[] = [];

beforeAll(async () => {
  started = await startBrowser();
});

afterAll(async () => {
  await started?.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The only browser of the test file. */
export function browser(): Browser {
  if (started === undefined) throw new Error("the browser is not started yet");
  return started;
}

/** Serves a listener until the end of the test file. @returns its origin */
export async function serve(listener: Parameters<typeof listening>[0]): Promise<string> {
  const { server, origin } = await listening(listener);
  servers.push(server);
  return origin;
}

/** Serves a page for the holder of a token, if it does not say whom it is for. @returns its origin */
export function servePage(options: MemoryPageOptions): Promise<string> {
  return serve(createMemoryPage(options.authorize ? options : { token: pageToken, ...options }).nodeListener);
}

/** Opens a page in a tab of its own. */
export async function openPage(options: MemoryPageOptions): Promise<Tab> {
  return Tab.open(browser(), await servePage(options), options.authorize ? "none" : pageToken);
}

export const viewMemory = (tab: Tab, address: MemoryAddress, more: object = {}): Promise<void> =>
  tab.view(`#/memory?${pageQuery({ ...address, ...more })}`);

/** The address of a memory of one test only. */
export const newAddress = () => ({ nodeId: `node-${randomUUID()}`, scope: "global" }) as const;
