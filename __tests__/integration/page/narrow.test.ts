import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { logConversation, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import type { Tab } from "../../helpers/page-browser.js";
import { pageQuery } from "../../helpers/page-client.js";
import { shownPages } from "../../helpers/shown-page.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open } = shownPages();
const address = {
  nodeId: "assistant-for-customers-of-the-shop",
  scope: "perUser",
  userId: "a.very.long.name.of.a.person@mail.example.com",
} as const;
let tab: Tab;

beforeAll(async () => {
  const node = new MemoryNode({
    store,
    nodeId: address.nodeId,
    scope: "perUser",
    rules: [{ path: "/policy/**", access: "ask" }],
    onAsk: "propose",
    mounts: { "/team": { nodeId: "notes-of-the-whole-team", access: "read", description: "What all know" } },
  });
  const memory = store.memory(address).with({ actor: { agent: "scribe", runId: "run-1" } });
  await memory.write("/a-directory-with-a-long-name/a-file-with-a-long-name.md", "# Heading\n\nSome text.\n");
  await memory.append("/a-directory-with-a-long-name/a-file-with-a-long-name.md", "Some more text.\n");
  const said = [new HumanMessage({ content: "long".repeat(100), name: "name".repeat(16) }), new AIMessage("It is.")];
  await logConversation(memory, said, { at: new Date("2026-03-04T09:05:00Z"), threadId: "thread".repeat(10) });
  await store.memory({ ...address, userId: "bob" }).write("/a", "text\n");
  await store.memory({ nodeId: "notes-of-the-whole-team" }).write("/plan", "win\n");
  await node.memoryTools[0]?.invoke(
    { command: "append", path: "/policy/payments", content: "Pay at once.\n" },
    { configurable: { user_id: address.userId } },
  );
  tab = await open({ store, nodes: [node], access: "write" });
  await tab.page.setViewport({ width: 390, height: 800 });
});

/** Targets that are lower than a finger, and what is cut off or lies beside the screen. Links within texts do not count. */
const findFaults = `(() => {
  const faults = [];
  const name = (element) => element.outerHTML.slice(0, 120);
  if (document.scrollingElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const target of document.querySelectorAll("a[href], button, input, textarea, summary")) {
    if (!target.checkVisibility() || target.closest(".markdown, p, dd, .who, .skip") !== null) continue;
    const { height, left, right } = (target.closest(".check") ?? target).getBoundingClientRect();
    if (height < 40) faults.push("only " + height + " px: " + name(target));
    if (left < 0 || right > innerWidth) faults.push("beside the screen: " + name(target));
  }
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest(".spoken, .skip") !== null) continue;
    if (["hidden", "clip"].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1)
      faults.push("cut off: " + name(element));
  }
  return faults;
})()`;

const memory = (more: object = {}): string => `#/memory?${pageQuery({ ...address, ...more })}`;
const path = "/a-directory-with-a-long-name/a-file-with-a-long-name.md";

describe("on a telephone", () => {
  it.each([
    ["the list of memories", "#/", "notes-of-the-whole-team"],
    ["the inbox", "#/inbox", "append"],
    ["a memory", memory(), "What the model sees"],
    ["a file", memory({ path }), "Some more text."],
    ["a file with blame", memory({ path, form: "blame" }), "scribe"],
    ["a day of the log", memory({ path: `/conversations/2026-03-04/${"thread".repeat(10)}.md` }), "It is."],
    ["the history", memory({ tab: "history" }), "version 2"],
    ["a version", memory({ tab: "history", version: "2" }), "Some more text."],
    ["the tree at a version", memory({ at: "1" }), "Back to now"],
    ["what the model sees", memory({ tab: "message" }), "of 4,000 characters"],
  ])("%s has targets of 40 px, and nothing is cut off", async (_name, hash, text) => {
    await tab.view(hash);
    await tab.see(text);
    expect(await tab.value(findFaults)).toEqual([]);
  });

  it("a proposal has targets of 40 px, and nothing is cut off", async () => {
    await tab.view("#/inbox");
    await tab.click(".timeline a");
    await tab.see("Pay at once.");
    await tab.see("Approve");
    expect(await tab.value(findFaults)).toEqual([]);
  });

  it("a search and a dialog have targets of 40 px, and nothing is cut off", async () => {
    await tab.view("#/");
    await tab.type("Search in the texts of all memories", "text");
    await tab.see("Found in 2 memories");
    expect(await tab.value(findFaults)).toEqual([]);
    await tab.view(memory({ tab: "history", version: "1" }));
    await tab.press("Restore this version…");
    await tab.see("as a new version");
    expect(await tab.value(findFaults)).toEqual([]);
    expect(tab.faults).toEqual([]);
  });
});
