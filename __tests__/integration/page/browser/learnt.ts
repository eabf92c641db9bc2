import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../../src/index.js";
import type { Tab } from "../../../helpers/page-browser.js";
import { readAll } from "../../../helpers/read-all.js";
import { change, learnWith } from "../../../helpers/scripted-learning.js";
import { openPage, viewMemory } from "../../../helpers/shown-page.js";
import { getHistory, getProposals } from "../../../helpers/store-calls.js";
import { testDatabase } from "../../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const markup = `<img src=x onerror="alert(1)">`;

const write = (name: string): object =>
  change("write", `/profile/${name}.md`, { text: `${name} lives in Norway.`, reason: `said so ${markup}` });

/** A memory in which a run of `learn` has proposed changes from a note. */
async function openLearnt(...names: string[]): Promise<{ memory: Memory; ids: string[] }> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory
    .with({ actor: { userId: "ada", client: "our app" } })
    .write("/inbox/a.md", `Ada moved to Oslo. ${markup}`);
  const { proposals } = await learnWith(memory, names.map(write));
  return { memory, ids: proposals };
}

describe("the page of a memory that something was learnt for", () => {
  const openTab = (): Promise<Tab> => openPage({ store, access: "write" });

  it("shows a run as one group, each change with its reason and its notes, as text", async () => {
    const { memory } = await openLearnt("ada", "bob");
    const tab = await openTab();
    await viewMemory(tab, memory.address, { tab: "proposals" });
    await tab.see("learn · 2 changes");
    await tab.see(`said so ${markup}`);
    await tab.see("scripted-1");
    await tab.click('a[href*="tab=history"][href*="version=1"]');
    await tab.see(`Ada moved to Oslo. ${markup}`);
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("lets a person approve a whole run, and says what could not be approved", async () => {
    const { memory } = await openLearnt("ada", "bob");
    await memory.write("/profile/ada.md", "Somebody else was here.");
    const tab = await openTab();
    await viewMemory(tab, memory.address, { tab: "proposals" });
    await tab.press("Approve all…");
    await tab.page.type("dialog input", "Ada");
    await tab.press("Approve all");
    await tab.see("1 change could not be decided");
    await tab.see("learn · 1 change");
    expect(await memory.read("/profile/bob.md")).toBe("bob lives in Norway.");
    expect(tab.faults).toEqual([]);
    await tab.page.close();
  });

  it("shows the origin of a version", async () => {
    const { memory, ids } = await openLearnt("ada");
    await getProposals(memory).approve(ids[0] ?? "", { by: { userId: "ada" } });
    const [version] = await readAll(getHistory(memory).list({ sources: ["version:1"] }));
    const tab = await openTab();
    await viewMemory(tab, memory.address, { tab: "history", version: version?.id });
    await tab.see(/Rests on\s+version 1\s+Trust\s+person/);
    await tab.page.close();
  });
});
