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
  tab = await open({ store });
});

const newAddress = () => ({ nodeId: `node-${randomUUID()}`, scope: "global" }) as const;
const memoryAt = (address: { nodeId: string }) => store.memory(address, { paths: "posix" });
const press = (key: "/" | "?" | "Enter" | "Escape") => tab.page.keyboard.press(key);

describe("the keys of the page", () => {
  it("search, and open a single hit", async () => {
    const address = newAddress();
    const memory = memoryAt(address);
    await memory.write("/a.txt", "nothing\nthe needle\nnothing\n");
    await memory.write("/b.txt", "text\n");
    await view(tab, address, { tab: "history" });
    await tab.see("/a.txt");
    await press("/");
    await tab.until('document.activeElement?.getAttribute("aria-label") === "Search in files"');
    await tab.page.keyboard.type("needle");
    await tab.see("1 passage in 1 file");
    await press("Enter");
    await tab.until('document.querySelector(".line.shown")?.textContent === "the needle"');
    expect(tab.faults).toEqual([]);
  });

  it("are listed by ?, and can be turned off", async () => {
    await tab.view("#/");
    await tab.see("Memories");
    await tab.value("document.activeElement?.blur()");
    await press("?");
    await tab.see("in a search field: open the only hit");
    await tab.click("dialog input[type=checkbox]");
    await press("Escape");
    // A dialog that Escape has hidden is removed a moment later.
    await tab.until('document.querySelector("dialog") === null');
    await press("?");
    expect(await tab.value('document.querySelector("dialog") === null')).toBe(true);
    await tab.press("Keys");
    await tab.click("dialog input[type=checkbox]");
    await tab.press("Close");
    await tab.until('document.querySelector("dialog") === null');
    await press("/");
    await tab.until('document.activeElement?.matches("[role=search] input") === true');
    expect(tab.faults).toEqual([]);
  });
});
