import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { shownPages } from "../../helpers/shown-page.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open, view } = shownPages();

describe("what the model sees", () => {
  it("is what the first connector of the node writes, with an estimate of its tokens", async () => {
    const node = new MemoryNode({ store, nodeId: `node-${randomUUID()}` });
    const connector = node.createConnector({ content: "full", maxChars: 2000, root: "/memories" });
    node.createConnector({ content: "index", maxChars: 500 });
    await node.memory().write("/notes", "Anna likes tea.\n");
    const tab = await open({ store, nodes: [node] });
    await view(tab, { nodeId: node.nodeId }, { tab: "message" });
    const text = String((await connector.renderMessage())?.text);
    await tab.see("The connector of this node");
    await tab.see(
      `${text.length} of 2,000 characters, about ${Math.ceil(text.length / 4)} tokens, estimated at 4 characters each`,
    );
    const shown = await tab.page.$$eval(".message-text .line-text", (lines) =>
      lines.map(({ textContent }) => textContent).join("\n"),
    );
    expect(shown).toBe(text);
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("says that it shows defaults where the page knows no connector", async () => {
    const address = { nodeId: `node-${randomUUID()}` };
    await store.memory(address).write("/notes", "text\n");
    const tab = await open({ store });
    await view(tab, address, { tab: "message" });
    await tab.see("The page knows no connector of this memory: these are the defaults");
    await tab.see(/of 4,000 characters/);
    await tab.page.close();
  });
});
