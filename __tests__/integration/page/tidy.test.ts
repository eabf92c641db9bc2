import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { askPage, pageQuery, pageToken } from "../../helpers/page-client.js";
import { shownPages } from "../../helpers/shown-page.js";
import { testDatabase } from "../../helpers/test-database.js";

// The page as users get it, with its client: needs `dist`, which `npm test` builds first.
const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open, view } = shownPages();
const page = createMemoryPage({ store, token: pageToken, access: "write" });

const openUntidy = async (memory: Memory = store.memory({ nodeId: randomUUID() })): Promise<Memory> => {
  await memory.write("/a.md", "# Tea\n\nsee [the pot](pot.md)\n");
  await memory.write("/empty.md", "");
  return memory;
};

describe("what the page answers about tidying", () => {
  it("is the list of findings", async () => {
    const { address } = await openUntidy();
    const { json } = await askPage(page, `/api/tidy?${pageQuery({ ...address })}`);
    expect(json).toMatchObject({
      total: 2,
      findings: [
        { kind: "deadLink", path: "/a.md", line: 3 },
        { kind: "empty", path: "/empty.md", line: null },
      ],
    });
  });

  it("is the first 500 of many findings, among 10,000 files", async () => {
    const nodeId = randomUUID();
    const files = Array.from({ length: 10_000 }, (_, index) => ({
      namespace: ["memory", nodeId, "global"],
      key: `/notes/${index}.md`,
      value: { content: index % 10 === 0 ? "" : `note ${index}` },
    }));
    // So many files take a busy machine longer than the usual 30 s.
    await new MongoMemoryStore({ client, dbName, timeoutMs: Infinity }).batch(files);
    const { json } = await askPage(page, `/api/tidy?${pageQuery({ nodeId })}`);
    expect(json).toMatchObject({ total: 1000 });
    expect((json as { findings: unknown[] }).findings).toHaveLength(500);
  });

  it("is refused to another person", async () => {
    const { address } = await openUntidy(store.memory({ nodeId: randomUUID(), scope: "perUser", userId: "ada" }));
    const statuses = ["eve", "ada"].map(async (userId) => {
      const own = createMemoryPage({ store, authorize: () => ({ owner: { userId } }) });
      return (await askPage(own, `/api/tidy?${pageQuery({ ...address })}`)).status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 200]);
  });
});

describe("the view of what should be tidied", () => {
  it("leads to the lines", async () => {
    const memory = await openUntidy();
    const tab = await open({ store });
    await view(tab, memory.address, { tab: "tidy" });
    await tab.see("2 findings");
    await tab.press("/a.md:3", "link");
    await tab.see("see [the pot](pot.md)");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("says that nothing is to be tidied, and looks again", async () => {
    const memory = store.memory({ nodeId: randomUUID() });
    await memory.write("/a.md", "text");
    const tab = await open({ store });
    await view(tab, memory.address, { tab: "tidy" });
    await tab.see("Nothing to tidy");
    await openUntidy(memory);
    await tab.press("Look again");
    await tab.see("2 findings");
    await tab.page.close();
  });
});
