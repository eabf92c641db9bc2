import type { Browser } from "puppeteer-core";
import type * as pageEntry from "../../src/page/index.js";
import { listening } from "../../__tests__/helpers/page-browser.js";
import { median } from "../measuring/measure.js";
import { milliseconds, row, tableHead } from "../measuring/table.js";
import type { Store } from "./fixture.js";

const token = "token-of-the-bench";
const visits = 7;

interface Visit {
  firstPaintMs: number;
  shownMs: number;
  requests: number;
  bytes: number;
  elements: number;
}

/** What a person waits for in a tab of its own, with nothing in the cache. */
export async function measureBrowser(
  browser: Browser,
  store: Store,
  { createMemoryPage, nodeListener }: typeof pageEntry,
  big: Record<string, string>,
): Promise<string[]> {
  const { server, origin } = await listening(nodeListener(createMemoryPage({ store, token })));
  const views = {
    "1,000 memories": { hash: "#/", row: "a.memory-row[href]" },
    "tree of 10,000 files": { hash: `#/memory?${new URLSearchParams(big).toString()}`, row: "[role=treeitem]" },
  };
  const rows: string[] = [];
  try {
    for (const [name, view] of Object.entries(views)) {
      const seen: Visit[] = [];
      for (let visit = 0; visit < visits; visit += 1) seen.push(await visited(browser, origin, view));
      const of = (field: keyof Visit): number => median(seen.map((each) => each[field]));
      rows.push(
        row([
          name,
          milliseconds(of("firstPaintMs")),
          milliseconds(of("shownMs")),
          String(of("requests")),
          (of("bytes") / 1000).toFixed(1),
          String(of("elements")),
        ]),
      );
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return [
    `The page in Chromium, medians of ${visits} visits without a cache: until something is painted, and until the first rows stand in the document; then the requests until there, their bytes, and the elements of the document.`,
    "",
    ...tableHead(["view", "first paint, ms", "rows, ms", "requests", "kB", "elements"]),
    ...rows,
  ];
}

/** In a window that shares nothing with others. */
async function visited(
  browser: Browser,
  origin: string,
  { hash, row: selector }: { hash: string; row: string },
): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  try {
    await page.setViewport({ width: 1280, height: 800 });
    await page.evaluateOnNewDocument(`sessionStorage.setItem("memory-page-token ", ${JSON.stringify(token)});
      new MutationObserver((_, observer) => {
        if (document.querySelector(${JSON.stringify(selector)}) === null) return;
        window.shownMs = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });`);
    await page.goto(`${origin}/${hash}`);
    await page.waitForFunction(
      "window.shownMs !== undefined && performance.getEntriesByName('first-contentful-paint').length > 0",
      { polling: 50 },
    );
    return (await page.evaluate(`(() => {
      const loads = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].filter(({ name, startTime }) => !name.startsWith("data:") && startTime <= window.shownMs);
      return {
        firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
        shownMs: window.shownMs,
        requests: loads.length,
        bytes: loads.reduce((sum, { transferSize }) => sum + transferSize, 0),
        elements: document.querySelectorAll("*").length,
      };
    })()`)) as Visit;
  } finally {
    await context.close();
  }
}
