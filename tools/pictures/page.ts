import type { RequestListener } from "node:http";
import type { Browser, SerializedAXNode, Viewport } from "puppeteer-core";
import type * as pageEntry from "../../src/page/index.js";
import { listening, Tab } from "../../__tests__/helpers/page-browser.js";
import { describePlace } from "../../src/core/values/database-place.js";
import type { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { storyUser, tellStory } from "./story.js";

const token = "token-of-the-pictures";
const shown = new URLSearchParams({
  nodeId: "assistant",
  scope: "perUser",
  userId: storyUser,
  path: "/trips/lisbon.md",
});

export interface PagePicture {
  /** What a screen reader is told of it: the same for the same page, on each machine. */
  tree: string;
  image: Uint8Array;
}

/** A file of the story on the page. @param entry the built one, as the sources have no client */
export async function picturePage(
  browser: Browser,
  store: MongoMemoryStore,
  { createMemoryPage }: typeof pageEntry,
): Promise<PagePicture> {
  const node = await tellStory(store);
  // The header names the place, which differs at each run.
  const placed = Object.assign(store, { [describePlace]: () => ({ database: "app", host: "localhost:27017" }) });
  const listener = createMemoryPage({ store: placed, token, nodes: [node] }).nodeListener;
  const viewport = { width: 1080, height: 520, deviceScaleFactor: 1.5 };
  return pictureTab(browser, { listener, token, viewport }, async (tab) => {
    await tab.view(`#/memory?${shown.toString()}`);
    for (const text of ["Tile museum", "team-notes", "oslo.md"]) await tab.see(text);
  });
}

interface PictureOptions {
  listener: RequestListener;
  token: string;
  viewport: Viewport;
}

/** Draws what a page shows. @param open opens the view, and waits until it is there */
export async function pictureTab(
  browser: Browser,
  { listener, token: given, viewport }: PictureOptions,
  open: (tab: Tab) => Promise<void>,
): Promise<PagePicture> {
  const { server, origin } = await listening(listener);
  const tab = await Tab.open(browser, origin, given);
  try {
    await tab.page.setViewport(viewport);
    await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await open(tab);
    const tree = await tab.accessibleTree();
    return { tree: listAccessibleLines(tree), image: await tab.page.screenshot({ type: "webp", quality: 65 }) };
  } finally {
    await tab.page.close();
    server.closeAllConnections();
    server.close();
  }
}

/** What a screen reader is told. */
export function listAccessibleLines(node: SerializedAXNode | null): string {
  return linesOf(node).join("\n");
}

function linesOf(node: SerializedAXNode | null, indent = ""): string[] {
  if (node === null) return [];
  const { role, name = "", children = [] } = node;
  return [
    `${indent}${role}${name === "" ? "" : ` "${name}"`}`,
    ...children.flatMap((child) => linesOf(child, `${indent}  `)),
  ];
}
