import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { askPage, pageQuery, pageToken } from "../../helpers/page-client.js";
import { shownPages } from "../../helpers/shown-page.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open } = shownPages();

/** Writes memories of one user, in this order: node, and the sizes of the files. */
async function writeMemories(memories: Record<string, number[]>): Promise<string> {
  const userId = `user-${randomUUID()}`;
  for (const [nodeId, sizes] of Object.entries(memories)) {
    const memory = store.memory({ nodeId, scope: "perUser", userId });
    for (const [index, size] of sizes.entries()) await memory.write(`/file${index}`, "x".repeat(size));
  }
  return userId;
}

describe("the list of memories", () => {
  it("has the order of the store, in pages of 500", async () => {
    async function* listMemories(): AsyncGenerator<object> {
      for (let index = 500; index >= 0; index -= 1) {
        const address = { nodeId: `node-${index}`, scope: "global" };
        yield { address, sizeBytes: 1, textBytes: 1, files: 1, createdAt: new Date(0), updatedAt: new Date(index) };
      }
    }
    const page = createMemoryPage({ store: { listMemories } as never, token: pageToken });
    const ask = async (query: object) => {
      const { json } = await askPage(page, `/api/memories?${pageQuery({ ...query })}`);
      const { memories, ...rest } = json as { memories: { address: { nodeId: string } }[] };
      return { nodes: memories.map(({ address }) => address.nodeId), ...rest };
    };
    const expected = Array.from({ length: 501 }, (_, index) => `node-${500 - index}`);
    expect(await ask({})).toEqual({ nodes: expected.slice(0, 500), next: 500, isAll: false });
    expect(await ask({ offset: 500 })).toEqual({ nodes: expected.slice(500), next: null, isAll: true });
  });
});

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
    const tab = await open({ store: crowd });
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
    const tab = await open({ store: crowd });
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

  it("are found by an exact id behind the first 5,000", async () => {
    const last = { ...other, address: { nodeId: "support", scope: "perUser", userId: "last" } };
    const endless = async function* (filter: { userId?: string }): AsyncGenerator<object> {
      if (filter.userId === "last") yield last;
      if ("nodeId" in filter || "threadId" in filter || "userId" in filter) return;
      for (let index = 0; ; index += 1) yield { ...other, address: { nodeId: `node-${index}`, scope: "global" } };
    };
    const page = createMemoryPage({ store: { listMemories: endless } as never, token: pageToken });
    const find = async (query: object) => (await askPage(page, `/api/memories?${pageQuery({ ...query })}`)).json;
    expect(await find({ named: "last" })).toMatchObject({ memories: [{ address: last.address }], isAll: false });
    expect(await find({ named: "last", scope: "global" })).toMatchObject({ memories: [], isAll: false });
    expect(await find({ named: "NODE-4999" })).toMatchObject({ memories: [{ address: { nodeId: "node-4999" } }] });
  });
});

describe("sizes", () => {
  it("are those of the texts", async () => {
    const userId = await writeMemories({ small: [9, 3] });
    const page = createMemoryPage({ store, token: pageToken });
    expect((await askPage(page, `/api/memories?${pageQuery({ userId })}`)).json).toMatchObject({
      memories: [{ textBytes: 12 }],
    });
    const tab = await open({ store });
    await tab.view(`#/?${pageQuery({ userId })}`);
    await tab.see("12 B");
    await tab.page.close();
  });
});

describe("the header", () => {
  it("has the title that the application gives the page, and the window too", async () => {
    const title = "Memory of <b>Acme & Sons</b>";
    const tab = await open({ store, title });
    await tab.see(title);
    await tab.until(`document.title === ${JSON.stringify(`Memories · ${title}`)}`);
    expect(await tab.page.$$eval("header b", (bold) => bold.length)).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("says the product, the database, its host, and what may be done", async () => {
    const { host, port } = client.options.hosts[0] ?? {};
    const place = `${dbName} @ ${host}:${port}`;
    const reader = await open({ store });
    await reader.see("langgraph-mongo-memory");
    await reader.see(`Read-only · ${place}`);
    await reader.page.close();
    const writer = await open({ store, access: "write", authorize: () => ({ userId: "ada" }) });
    await writer.see(`Write access · ${place} · ada`);
    await writer.page.close();
  });
});
