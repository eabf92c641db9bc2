import type { Server } from "node:http";
import { afterAll, beforeAll } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import type { Browser } from "puppeteer-core";
import type { MemoryAddress } from "../../src/index.js";
import type { MemoryPageOptions } from "../../src/page/index.js";
import { listening, startBrowser, Tab } from "./page-browser.js";
import { pageQuery, pageToken } from "./page-client.js";

/** A memory of one test only. */
export interface ShownPage {
  open: (options: MemoryPageOptions) => Promise<Tab>;
  view: (tab: Tab, address: MemoryAddress, more?: object) => Promise<void>;
}

/** Opens pages in one browser, and ends everything after the test file. They need `dist`. */
export function shownPages(): ShownPage {
  const servers: Server[] = [];
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  return {
    open: async (options) => {
      if (browser === undefined) throw new Error("the browser is not started yet");
      const isOpen = options.authorize !== undefined;
      const page = createMemoryPage(isOpen ? options : { token: pageToken, ...options });
      const { server, origin } = await listening(page.nodeListener);
      servers.push(server);
      return Tab.open(browser, origin, isOpen ? "none" : pageToken);
    },
    view: (tab, address, more = {}) => tab.view(`#/memory?${pageQuery({ ...address, ...more })}`),
  };
}
