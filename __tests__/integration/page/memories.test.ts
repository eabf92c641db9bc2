import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
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

  // Requirement: page.sorted
  it("begins with the last change, and is sorted by each column, numbers as numbers", async () => {
    const userId = await writeMemories({ small: [9], many: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], large: [10_000, 1] });
    await tab.view(`#/?${pageQuery({ userId })}`);
    await untilFirst("large");
    expect(await nodes()).toEqual(["large", "many", "small"]);
    await tab.press("Files");
    await untilFirst("many");
    expect(await nodes()).toEqual(["many", "large", "small"]);
    await tab.press("Size");
    await untilFirst("large");
    expect(await nodes()).toEqual(["large", "many", "small"]);
    await tab.press("Size↓");
    await untilFirst("small");
    await tab.press("Node");
    await untilFirst("large");
    expect(await nodes()).toEqual(["large", "many", "small"]);
    expect(tab.faults).toEqual([]);
  });

  // Requirement: page.sorted
  it("is sorted as a whole, over all its pages", async () => {
    async function* listMemories(): AsyncGenerator<object> {
      for (let index = 0; index <= 500; index += 1) {
        const address = { nodeId: `node-${String(index).padStart(3, "0")}`, scope: "global" };
        yield { address, sizeBytes: 1, files: 1, createdAt: new Date(0), updatedAt: new Date(index) };
      }
    }
    const page = createMemoryPage({ store: { listMemories } as never, token: pageToken });
    const ask = async (more: object) =>
      (await askPage(page, `/api/memories?${pageQuery({ sort: "node", order: "down", ...more })}`)).json as {
        memories: { address: { nodeId: string } }[];
        next: number | null;
        total: number;
      };
    const first = await ask({});
    expect([first.memories[0]?.address.nodeId, first.next, first.total]).toEqual(["node-500", 500, 501]);
    expect((await ask({ offset: 500 })).memories.map(({ address }) => address.nodeId)).toEqual(["node-000"]);
  });
});

describe("the header", () => {
  // Requirement: page.header
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
