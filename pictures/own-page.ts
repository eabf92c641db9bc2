import type { Browser } from "puppeteer-core";
import type * as pageEntry from "../src/page/index.js";
import type { MongoMemoryStore } from "../src/mongodb/store/mongo-memory-store.js";
import { listening, Tab } from "../__tests__/helpers/page-browser.js";
import { listAccessibleLines, type PagePicture } from "./page.js";
import { storyUser, tellStory } from "./story.js";

/** What the person of the story sees of themselves. @param entry the built one, as the sources have no client */
export async function pictureOwnPage(
  browser: Browser,
  store: MongoMemoryStore,
  { createMemoryPage, nodeListener }: typeof pageEntry,
): Promise<PagePicture> {
  const node = await tellStory(store);
  await store
    .memory({ nodeId: "support", scope: "perUser", userId: storyUser })
    .append("/calls", "Called about an invoice. It was paid twice.\n");
  await store.memory({ nodeId: "support", scope: "perUser", userId: "bob@example.com" }).append("/calls", "Hidden.\n");
  const page = createMemoryPage({
    store,
    nodes: [node],
    access: "write",
    authorize: () => ({ owner: { userId: storyUser } }),
  });
  const { server, origin } = await listening(nodeListener(page));
  const tab = await Tab.open(browser, origin, "none");
  try {
    await tab.page.setViewport({ width: 900, height: 250, deviceScaleFactor: 1 });
    await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await tab.see("support");
    const tree = await tab.page.accessibility.snapshot();
    return { tree: listAccessibleLines(tree), image: await tab.page.screenshot({ type: "webp", quality: 80 }) };
  } finally {
    await tab.page.close();
    server.closeAllConnections();
    server.close();
  }
}
