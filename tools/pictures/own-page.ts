import type { Browser } from "puppeteer-core";
import type * as pageEntry from "../../src/page/index.js";
import type { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { type PagePicture, pictureTab } from "./page.js";
import { storyUser, tellStory } from "./story.js";

/** What the person of the story sees of themselves. @param entry the built one, as the sources have no client */
export async function pictureOwnPage(
  browser: Browser,
  store: MongoMemoryStore,
  { createMemoryPage }: typeof pageEntry,
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
  const viewport = { width: 900, height: 250, deviceScaleFactor: 1 };
  return pictureTab(browser, { listener: page.nodeListener, token: "none", viewport }, (tab) => tab.see("support"));
}
