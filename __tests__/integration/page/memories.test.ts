import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import type { Tab } from "../../helpers/page-browser.js";
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
  let tab: Tab;

  beforeAll(async () => {
    tab = await open({ store });
  });

  const nodes = () =>
    tab.page.$$eval("a.memory-row .node", (names) => names.map(({ textContent }) => textContent ?? ""));

  const untilFirst = (node: string) =>
    tab.until(`document.querySelector("a.memory-row .node")?.textContent === ${JSON.stringify(node)}`);

  it("begins with the last change, and can begin with the largest, or be sorted by name", async () => {
    const userId = await writeMemories({ small: [9], many: [1, 1, 1], large: [10_000, 1] });
    const other = await writeMemories({ a: [10_000], b: [9], c: [80] });
    await tab.view(`#/?${pageQuery({ userId })}`);
    await untilFirst("large");
    expect(await nodes()).toEqual(["large", "many", "small"]);
    await tab.view(`#/?${pageQuery({ userId: other })}`);
    await untilFirst("c");
    await tab.press("Largest");
    await untilFirst("a");
    expect(await nodes()).toEqual(["a", "c", "b"]);
    await tab.press("By name");
    await tab.until('document.querySelectorAll("a.memory-row .node")[1]?.textContent === "b"');
    expect(await nodes()).toEqual(["a", "b", "c"]);
    await tab.press("Last changed");
    await untilFirst("c");
    expect(await nodes()).toEqual(["c", "b", "a"]);
    expect(tab.faults).toEqual([]);
  });

  it("is sorted as a whole, over all its pages", async () => {
    async function* listMemories(): AsyncGenerator<object> {
      for (let index = 500; index >= 0; index -= 1) {
        const address = { nodeId: `node-${String(index).padStart(3, "0")}`, scope: "global" };
        yield { address, sizeBytes: 1, textBytes: 1, files: 1, createdAt: new Date(0), updatedAt: new Date(index) };
      }
    }
    const page = createMemoryPage({ store: { listMemories } as never, token: pageToken });
    const ask = async (more: object) =>
      (await askPage(page, `/api/memories?${pageQuery({ sort: "name", ...more })}`)).json as {
        memories: { address: { nodeId: string } }[];
        next: number | null;
        total: number;
      };
    const first = await ask({});
    expect([first.memories[0]?.address.nodeId, first.next, first.total]).toEqual(["node-000", 500, 501]);
    expect((await ask({ offset: 500 })).memories.map(({ address }) => address.nodeId)).toEqual(["node-500"]);
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
    await tab.see("1,201 memories");
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
    await tab.see(/support\s*1,200 memories/);
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

  it("are shown however long the database takes for the first", async () => {
    const slow = async function* (filter: object): AsyncGenerator<object> {
      await new Promise((resolve) => setTimeout(resolve, 2100));
      yield* listMemories(filter);
    };
    const page = createMemoryPage({ store: { listMemories: slow } as never, token: pageToken });
    expect((await askPage(page, "/api/memories")).json).toMatchObject({ total: 1201, isAll: true });
  });

  it("are found by an exact id where the list does not end in time", async () => {
    const endless = async function* (filter: { userId?: string }): AsyncGenerator<object> {
      yield* listMemories(filter);
      if ("nodeId" in filter || "threadId" in filter || "userId" in filter) return;
      for (let index = 0; index < 20_000; index += 1)
        yield { ...many[0], address: { nodeId: `n${index}`, scope: "global" } };
      yield { ...many[0], address: { nodeId: "behind the end", scope: "perUser", userId: "user-7" } };
    };
    const page = createMemoryPage({ store: { listMemories: endless } as never, token: pageToken });
    const { json } = await askPage(page, "/api/memories?named=user-7&scope=perUser");
    expect(json).toMatchObject({ isAll: false });
    expect((json as { memories: object[] }).memories).toContainEqual(
      expect.objectContaining({ address: { nodeId: "support", scope: "perUser", userId: "user-7" } }),
    );
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
