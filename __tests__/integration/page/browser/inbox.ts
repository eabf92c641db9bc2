import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { MemoryNode, MongoMemoryStore } from "../../../../src/index.js";
import type { Tab } from "../../../helpers/page-browser.js";
import { pageQuery } from "../../../helpers/page-client.js";
import { openPage } from "../../../helpers/shown-page.js";
import { testDatabase } from "../../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const ada = { nodeId: "support", scope: "perUser", userId: "ada@example.com" } as const;
const eve = { ...ada, userId: "eve@example.com" };
const writer = { nodeId: "writer", scope: "global" } as const;
let store: MongoMemoryStore;

/** An agent proposes to append to a file. */
async function propose({ nodeId, userId }: { nodeId: string; userId?: string }, path: string): Promise<string> {
  const scope = userId === undefined ? "global" : "perUser";
  const node = new MemoryNode({ store, nodeId, scope, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const answer = (await node.memoryTools[0]?.invoke(
    { command: "append", path, content: `text of ${path}\n` },
    { configurable: { user_id: userId } },
  )) as string;
  return (JSON.parse(answer) as { result: { proposal: string } }).result.proposal;
}

const openTab = (access: "read" | "write" = "write"): Promise<Tab> => openPage({ store, access });

describe("the inbox in a browser", () => {
  beforeEach(() => {
    store = new MongoMemoryStore({ client, dbName, memoriesCollection: `memories ${randomUUID()}` });
  });

  it("is reached from everywhere, with the number of what waits in all memories and in each", async () => {
    for (const address of [ada, eve, writer]) await store.memory(address).write("/own", "text\n");
    await propose(ada, "/a");
    await propose(ada, "/b");
    await propose(writer, "/c");
    const tab = await openTab("read");
    await tab.see(/Inbox\s+3\s+waiting/);
    await tab.see(/ada@example\.com\s+2\s+waiting/);
    expect(await tab.value(`document.querySelector('a.memory-row[href*="eve"]').textContent.includes("waiting")`)).toBe(
      false,
    );
    await tab.view(`#/memory?${pageQuery(ada)}`);
    await tab.see(/Proposals\s+2\s+waiting/);
    await propose(eve, "/d");
    await tab.see(/Inbox\s+4\s+waiting/);
    await tab.click("a.inbox-link");
    await tab.see("4 changes, oldest first");
    await tab.see("text of /a");
    expect(await tab.page.$$eval("button.primary", (buttons) => buttons.length)).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("lets a person decide by keyboard alone, and keeps the decided change on the screen", async () => {
    await propose(ada, "/first");
    await propose(writer, "/second");
    const tab = await openTab();
    await tab.value(`document.cookie = "memory-page-name=; path=/; max-age=0"`);
    await tab.page.reload();
    const { keyboard } = tab.page;
    const tabTo = async (text: string): Promise<void> => {
      for (let steps = 0; steps < 40; steps += 1) {
        await keyboard.press("Tab");
        const found = await tab.value<string>('document.activeElement?.textContent ?? ""');
        if (found.includes(text) && found.length < 100) return;
      }
      throw new Error(`the tabulator leads to no ${text}`);
    };
    await tab.see(/Inbox\s+2\s+waiting/);
    await tabTo("Inbox");
    await keyboard.press("Enter");
    await tab.see("text of /first");
    await tabTo("/second");
    await keyboard.press("Enter");
    await tab.see("text of /second");
    await tab.see("Type your name first");
    await tab.page.focus(".foot input");
    await keyboard.type("Ada");
    await keyboard.press("Enter");
    await tab.see("Approved by Ada");
    await tab.see("1 change, oldest first");
    expect(await tab.text()).toContain("text of /second");
    expect(await store.memory(writer).read("/second")).toBe("text of /second\n");
    await tab.until('document.activeElement?.textContent === "Next change"');
    await keyboard.press("Enter");
    await tab.see("text of /first");
    await tab.press("Reject…");
    await tab.press("Reject");
    await tab.see("Rejected by Ada");
    await tab.until('document.activeElement?.getAttribute("aria-label") === "What is proposed"');
    await tab.see("Nothing waits");
    await tab.see(/Inbox\n/);
    expect(await store.memory(ada).stat("/first")).toBeNull();
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("keeps the change that is shown when somebody else decides about it", async () => {
    const id = await propose(ada, "/first");
    await propose(writer, "/second");
    const tab = await openTab();
    await tab.view("#/inbox");
    await tab.see("text of /first");
    await store.memory(ada).proposals?.approve(id, { by: { userId: "Bob" } });
    await tab.see("1 change, oldest first");
    await tab.see("Approved by Bob");
    expect(await tab.text()).not.toContain("text of /second");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });
});
