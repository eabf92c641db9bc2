import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { createMemoryPage, type MemoryPageOptions } from "langgraph-mongo-memory/page";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import type { Tab } from "../../helpers/page-browser.js";
import { askPage, pageQuery, pageToken, tellPage } from "../../helpers/page-client.js";
import { readAll } from "../../helpers/read-all.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { shownPages } from "../../helpers/shown-page.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

// The page as users get it, with its client: needs `dist`, which `npm test` builds first.
const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const { open, view } = shownPages();
const markup = `<img src=x onerror="alert(1)">`;

const write = (name: string): object =>
  change("write", `/profile/${name}.md`, { text: `${name} lives in Norway.`, reason: `said so ${markup}` });

/** A memory in which a run of `learn` has proposed changes from a note. */
async function openLearnt(...names: string[]): Promise<{ memory: Memory; ids: string[]; runId: string }> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory
    .with({ actor: { userId: "ada", client: "our app" } })
    .write("/inbox/a.md", `Ada moved to Oslo. ${markup}`);
  const { proposals, runId } = await learnWith(memory, names.map(write));
  return { memory, ids: proposals, runId: runId ?? "" };
}

const createPage = (options: Partial<MemoryPageOptions> = {}): ReturnType<typeof createMemoryPage> =>
  createMemoryPage({ store, token: pageToken, access: "write", ...options });

const tell = async (path: string, body: object): Promise<unknown> =>
  (await tellPage(createPage(), `/api/${path}`, body)).json;
const ask = async (path: string, fields: object): Promise<unknown> =>
  (await askPage(createPage(), `/api/${path}?${pageQuery({ ...fields })}`)).json;

const texts = async (memory: Memory): Promise<string[]> => (await memory.snapshot()).files.map(({ path }) => path);

describe("what the page answers about learnt texts", () => {
  it("names their origin in a proposal and a version", async () => {
    const { memory, ids } = await openLearnt("ada");
    const origin = { sources: ["version:1"], trust: "person" };
    const proposal = await ask("proposal", { ...memory.address, id: ids[0] });
    expect(proposal).toMatchObject({ origin: { ...origin, reason: `said so ${markup}`, model: "scripted-1" } });
    await getProposals(memory).approve(ids[0] ?? "", { by: { userId: "ada" } });
    expect(await ask("change", { ...memory.address, id: "2" })).toMatchObject({ version: origin });
  });

  it("names what rests on a text before it is redacted", async () => {
    const { memory, ids } = await openLearnt("ada", "bob");
    await getProposals(memory).approve(ids[0] ?? "", { by: { userId: "ada" } });
    const found = await tell("find-text", { address: memory.address, text: "Oslo" });
    expect(found).toMatchObject({ versionCount: 1, proposals: 1, dependents: [{ path: "/profile/ada.md" }] });
  });
});

describe("a decision about several proposals", () => {
  it("approves those that it names, and counts those that were refused", async () => {
    const { memory, ids } = await openLearnt("ada", "bob", "carol");
    await memory.write("/profile/ada.md", "Somebody else was here.");
    const answer = await tell("decide", {
      address: memory.address,
      by: "ada",
      decision: "approve",
      ids: ids.slice(0, 2),
    });
    expect(answer).toEqual({ refused: 1 });
    expect(await memory.read("/profile/bob.md")).toBe("bob lives in Norway.");
    expect((await readAll(getProposals(memory).list())).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  });

  it("rejects them with one reason", async () => {
    const { memory, ids } = await openLearnt("ada", "bob");
    await tell("decide", { address: memory.address, by: "ada", decision: "reject", ids, reason: "private" });
    const rejected = await readAll(getProposals(memory).list({ status: "rejected" }));
    expect(rejected.map(({ reason, decidedBy }) => [reason, decidedBy?.userId])).toEqual([
      ["private", "ada"],
      ["private", "ada"],
    ]);
  });

  it.each([
    ["a page that only reads", { access: "read" as const }, 403],
    ["the page of another person", { authorize: () => ({ owner: { userId: "eve" } }), token: undefined }, 404],
  ])("is refused by %s", async (_name, options, status) => {
    const { memory, ids } = await openLearnt("ada");
    const body = { address: memory.address, by: "ada", decision: "approve", ids };
    const { token, ...others } = { token: pageToken, ...options };
    const page = createPage({ ...others, ...(token !== undefined && { token }) });
    expect((await tellPage(page, "/api/decide", body)).status).toBe(status);
    expect(await texts(memory)).toEqual(["/inbox/a.md"]);
  });

  it("needs the name of who decides", async () => {
    const { memory, ids } = await openLearnt("ada");
    const body = { address: memory.address, decision: "approve", ids };
    expect(await tell("decide", body)).toMatchObject({ error: { code: "EINVAL" } });
  });
});

describe("the page of a memory that something was learnt for", () => {
  const openTab = (): Promise<Tab> => open({ store, access: "write" });

  it("shows a run as one group, each change with its reason and its notes, as text", async () => {
    const { memory } = await openLearnt("ada", "bob");
    const tab = await openTab();
    await view(tab, memory.address, { tab: "proposals" });
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
    await view(tab, memory.address, { tab: "proposals" });
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
    await view(tab, memory.address, { tab: "history", version: version?.id });
    await tab.see(/Rests on\s+version 1\s+Trust\s+person/);
    await tab.page.close();
  });
});
