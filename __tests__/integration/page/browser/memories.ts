import { describe, expect, it } from "@jest/globals";
import { MemoryNode, MongoMemoryStore } from "../../../../src/index.js";
import { newAddress, openPage, viewMemory } from "../../../helpers/shown-page.js";
import { testDatabase } from "../../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });

describe("the memories of many nodes and people", () => {
  const many = Array.from({ length: 1200 }, (_, index) => ({
    address: { nodeId: "support", scope: "perUser", userId: `user-${index}` },
    sizeBytes: 900,
    textBytes: index,
    files: 1,
    createdAt: new Date(0),
    updatedAt: new Date(1_800_000_000_000 - index * 1000),
  }));
  const other = { ...many[0], address: { nodeId: "writer", scope: "global" }, updatedAt: new Date(1_700_000_000_000) };

  async function* listMemories(filter: { userId?: string }): AsyncGenerator<object> {
    for (const memory of [...many, other])
      if (filter.userId === undefined || ("userId" in memory.address && memory.address.userId === filter.userId))
        yield memory;
  }
  const none = async function* (): AsyncGenerator<never> {};
  const crowd = { listMemories, listProposals: none } as never;

  it("are filtered by a part of an id, also those that are not shown yet", async () => {
    const tab = await openPage({ store: crowd });
    await tab.see("the first 500 memories");
    await tab.type("Filter by node, thread or user", "USER-1199");
    await tab.see(/^1 memory$/m);
    expect(await tab.page.$$eval("a.memory-row", (rows) => rows.length)).toBe(1);
    await tab.type("Filter by node, thread or user", "nobody");
    await tab.see("Nothing fits");
    expect(await tab.text()).not.toContain("No memories here");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("follow the name of their node, and more are shown on request", async () => {
    const tab = await openPage({ store: crowd });
    await tab.see("the first 500 memories");
    expect(await tab.page.$$eval("a.memory-row", (rows) => rows.length)).toBe(500);
    for (const count of [1000, 1201]) {
      await tab.press("Show more memories");
      await tab.until(`document.querySelectorAll("a.memory-row").length === ${count}`);
    }
    expect(await tab.page.$$eval("a.memory-row .node", (names) => names.map(({ textContent }) => textContent))).toEqual(
      [...many.map(() => "support"), "writer"],
    );
    expect(await tab.page.$$eval(".node-head", (heads) => heads.length)).toBe(1);
    await tab.page.close();
  });
});

describe("what the model sees", () => {
  it("is what the first connector of the node writes, with an estimate of its tokens", async () => {
    const node = new MemoryNode({ store, nodeId: newAddress().nodeId });
    const connector = node.createConnector({ content: "full", maxChars: 2000, root: "/memories" });
    node.createConnector({ content: "index", maxChars: 500 });
    await node.memory().write("/notes", "Anna likes tea.\n");
    const tab = await openPage({ store, nodes: [node] });
    await viewMemory(tab, { nodeId: node.nodeId }, { tab: "message" });
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

  it("is explained for a question: what is shown, with links to the lines, and why the rest is not, by the reasons of the guide", async () => {
    const node = new MemoryNode({ store, nodeId: newAddress().nodeId });
    node.createConnector({ content: "auto", maxChars: 1000 });
    await node.memory().write("/diet", "Anna eats no peanuts.\n");
    await node.memory().write("/days", "A quiet day.\n".repeat(200));
    const tab = await openPage({ store, nodes: [node] });
    await viewMemory(tab, { nodeId: node.nodeId }, { tab: "message" });
    await tab.see("The connector of this node");
    await tab.page.type('input[aria-label="A question to the model"]', "peanuts");
    await tab.see("no log keeps what was said");
    await tab.see(/without a word of the question: use words of the notes noCommonWord$/m);
    const links = await tab.page.$$eval(".explanation a", (all) => all.map(({ textContent }) => textContent));
    expect(links).toContain("/diet:1");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("is said to be defaults where the page knows no connector", async () => {
    const address = newAddress();
    await store.memory(address).write("/notes", "text\n");
    const tab = await openPage({ store });
    await viewMemory(tab, address, { tab: "message" });
    await tab.see("The page knows no connector of this memory: these are the defaults");
    await tab.page.close();
  });
});

it("what should be tidied leads to the lines, is said to be nothing, and is looked for again", async () => {
  const memory = store.memory(newAddress());
  await memory.write("/b.md", "text");
  const tab = await openPage({ store });
  await viewMemory(tab, memory.address, { tab: "tidy" });
  await tab.see("Nothing to tidy");
  await memory.write("/a.md", "# Tea\n\nsee [the pot](pot.md)\n");
  await memory.write("/empty.md", "");
  await tab.press("Look again");
  await tab.see("2 findings");
  await tab.press("/a.md:3", "link");
  await tab.see("see [the pot](pot.md)");
  expect(tab.faults).toEqual([]);
  await tab.page.close();
});

describe("the header", () => {
  it("has the title that the application gives the page, and the window too", async () => {
    const title = "Memory of <b>Acme & Sons</b>";
    const tab = await openPage({ store, title });
    await tab.see(title);
    await tab.until(`document.title === ${JSON.stringify(`Memories · ${title}`)}`);
    expect(await tab.page.$$eval("header b", (bold) => bold.length)).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("says the product, the database, its host, and what may be done", async () => {
    const { host, port } = client.options.hosts[0] ?? {};
    const place = `${dbName} @ ${host}:${port}`;
    const reader = await openPage({ store });
    await reader.see("langgraph-mongo-memory");
    await reader.see(`Read-only · ${place}`);
    await reader.page.close();
    const writer = await openPage({ store, access: "write", authorize: () => ({ userId: "ada" }) });
    await writer.see(`Write access · ${place} · ada`);
    await writer.page.close();
  });
});
