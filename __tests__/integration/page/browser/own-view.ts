import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { MemoryNode, MongoMemoryStore } from "../../../../src/index.js";
import type { Tab } from "../../../helpers/page-browser.js";
import { pageQuery } from "../../../helpers/page-client.js";
import { openPage } from "../../../helpers/shown-page.js";
import { testDatabase } from "../../../helpers/test-database.js";
import { testFolder } from "../../../helpers/test-folder.js";

const { client, name: dbName } = testDatabase();
const folder = testFolder();
const userId = "ada@example.com";
const own = { nodeId: "support", scope: "perUser", userId } as const;
const ofEve = { ...own, userId: "eve@example.com" };
let store: MongoMemoryStore;

async function openTab(access: "read" | "write" = "write"): Promise<Tab> {
  const nodes = [
    new MemoryNode({
      store,
      nodeId: "support",
      scope: "perUser",
      mounts: { "/team": { nodeId: "team-notes", access: "read", description: "What all know" } },
    }),
  ];
  return openPage({ store, nodes, access, authorize: () => ({ owner: { userId } }) });
}

describe("the page of one person in a browser", () => {
  beforeEach(async () => {
    store = new MongoMemoryStore({ client, dbName, memoriesCollection: `memories ${randomUUID()}`, history: true });
    const write = (address: Parameters<MongoMemoryStore["memory"]>[0], path: string, text: string) =>
      store.memory(address).write(path, text);
    await write(own, "/facts.md", "Ada runs Linux.\n");
    await write({ ...own, nodeId: "writer" }, "/style", "Short sentences.\n");
    await write(ofEve, "/facts.md", "Eve runs Windows.\n");
    await write({ nodeId: "team-notes" }, "/plan", "win\n");
  });

  it("lists and searches what is remembered, opens it with its mounts, and shows changes without a reload", async () => {
    const tab = await openTab();
    await tab.see(`What is remembered about ${userId}`);
    await tab.see("writer");
    expect(await tab.text()).not.toMatch(/eve@|team-notes/);
    await tab.type("Search in the texts of all memories", "runs");
    await tab.see(/Found in 1 memory\. 2 memories searched/);
    expect(await tab.text()).not.toContain("Windows");
    await tab.press("1 Ada runs Linux.", "link");
    // The number of a line is drawn by the style sheet.
    await tab.until(`document.querySelector(".line.shown")?.textContent === "Ada runs Linux."`);
    await tab.view(`#/memory?${pageQuery(own)}`);
    await tab.see("facts.md");
    await tab.click(".rights summary");
    await tab.see("/team/** is read-only (What all know).");
    expect(await tab.text()).not.toContain("team-notes");
    await tab.view(`#/memory?${pageQuery({ ...own, path: "/team/plan" })}`);
    await tab.see("win");
    expect(await tab.text()).not.toContain("In its own memory");
    await tab.view(`#/memory?${pageQuery({ ...own, path: "/facts.md" })}`);
    await tab.see("Ada runs Linux.");
    await store.memory(own).write("/facts.md", "Ada runs BSD.\n");
    await tab.see("Ada runs BSD.");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("says of the memory of somebody else the same as of one that does not exist", async () => {
    const tab = await openTab();
    const textOf = async (address: object): Promise<string> => {
      await tab.view(`#/memory?${pageQuery({ ...address })}`);
      await tab.see("there is no such memory");
      return tab.value(`document.querySelector(".fault")?.textContent ?? ""`);
    };
    expect(await textOf(ofEve)).toBe(await textOf({ ...ofEve, nodeId: "none" }));
    await tab.page.close();
  });

  it("saves an export, and forgets everything after the person has typed their id", async () => {
    const tab = await openTab();
    const session = await tab.page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: folder,
      eventsEnabled: true,
    });
    const saved = new Promise((resolve) =>
      session.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve(undefined)),
    );
    await tab.press("Export");
    await saved;
    const text = await readFile(join(folder, "memories.jsonl"), "utf8");
    expect(text).toContain("Ada runs Linux.");
    expect(text).not.toContain("eve@");
    await tab.press("Forget everything…");
    await tab.see("This erases 2 memories");
    await tab.page.locator("dialog input").fill(userId);
    await tab.press("Forget for good");
    await tab.see("2 memories went");
    await tab.press("Done");
    await tab.see("Nothing is remembered");
    expect(await store.memory(ofEve).read("/facts.md")).toBe("Eve runs Windows.\n");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("has none of the words of the trade", async () => {
    await store
      .memory(own)
      .with({ actor: { userId, agent: "helper", node: "helper", threadId: "t1", runId: "r1", checkpointId: "c1" } })
      .write("/facts.md", "Ada runs BSD.\n");
    const tab = await openTab();
    const trade = /\bnodes?\b|token|connector|thread|checkpoint|tool call|\bscope|\bmodel\b|\bagents?\b/i;
    for (const [hash, text] of [
      ["#/", "writer"],
      ["#/inbox", "Nothing waits"],
      [`#/memory?${pageQuery(own)}`, "facts.md"],
      [`#/memory?${pageQuery({ ...own, path: "/facts.md" })}`, "Ada runs BSD."],
      [`#/memory?${pageQuery({ ...own, tab: "history" })}`, "helper"],
      [`#/memory?${pageQuery({ ...own, tab: "proposals" })}`, "Nothing waits"],
      [`#/memory?${pageQuery({ ...own, tab: "message" })}`, "of 4,000 characters"],
    ] as const) {
      await tab.view(hash);
      await tab.see(text);
      // The message itself is shown as it is.
      await tab.value("document.querySelector('.message-text')?.remove()");
      expect([hash, trade.exec(await tab.text())?.[0]]).toEqual([hash, undefined]);
    }
    await tab.page.close();
  });

  it("has nothing that a checker of accessibility calls serious, and offers no change with access read", async () => {
    const tab = await openTab("read");
    await tab.see("writer");
    expect(await tab.text()).not.toContain("Forget");
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await tab.page.setViewport({ width, height: 800 });
      expect([scheme, width, await tab.seriousFaults()]).toEqual([scheme, width, []]);
    }
    await tab.page.close();
  });
});
