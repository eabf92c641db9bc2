import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import type { Tab } from "../../helpers/page-browser.js";
import { shownPages } from "../../helpers/shown-page.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open, view } = shownPages();
let tab: Tab;

beforeAll(async () => {
  tab = await open({ store, access: "write" });
});

const newAddress = () => ({ nodeId: `node-${randomUUID()}`, scope: "global" }) as const;
const memoryAt = (address: { nodeId: string }) => store.memory(address);

async function pressSearchKey(): Promise<void> {
  await tab.page.keyboard.down("Control");
  await tab.page.keyboard.press("k");
  await tab.page.keyboard.up("Control");
}

describe("Ctrl K", () => {
  it("leads to the search, from each view", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.txt", "nothing\nthe needle\nnothing\n");
    await view(tab, address, { tab: "history" });
    await tab.see("/a.txt");
    await pressSearchKey();
    await tab.until('document.activeElement?.getAttribute("aria-label") === "Search in files"');
    await tab.page.keyboard.type("needle");
    await tab.see("1 passage in 1 file");
    await tab.view("#/inbox");
    await tab.see("Nothing waits");
    await pressSearchKey();
    await tab.until('document.activeElement?.getAttribute("aria-label") === "Search in the texts of all memories"');
    expect(tab.faults).toEqual([]);
  });

  it("leaves a dialog alone", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.txt", "text\n");
    await view(tab, address, { tab: "history", version: "1" });
    await tab.press("Restore this version…");
    await tab.see("Nothing would change");
    await pressSearchKey();
    expect(await tab.value("location.hash")).toContain("tab=history");
    await tab.press("Cancel");
    expect(tab.faults).toEqual([]);
  });
});
