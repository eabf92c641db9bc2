import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import { MongoClient } from "mongodb";
import { logConversation, type MemoryAddress, MemoryNode, MongoMemoryStore } from "../../../../src/index.js";
import { Tab } from "../../../helpers/page-browser.js";
import { pageQuery, pageToken } from "../../../helpers/page-client.js";
import { browser, newAddress, openPage, serve, servePage, viewMemory } from "../../../helpers/shown-page.js";
import { testDatabase } from "../../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
/** Of a program beside the one that shows the page. */
const otherClient = new MongoClient(uri);
let tab: Tab;

beforeAll(async () => {
  tab = await openPage({ store, access: "write" });
});

afterAll(() => otherClient.close());

const memoryAt = (address: MemoryAddress) => store.memory(address);
const dayOfLog = "/conversations/2026-03-04/thread-1.md";
const logAt = new Date("2026-03-04T09:05:00Z");
const view = (address: MemoryAddress, more: object = {}) => viewMemory(tab, address, more);

/**
 * A store whose memories seem to have 100,000 files in one directory.
 * @param current what the memory answers now. A test changes it
 */
function withManyFiles(current = { version: "1", list: async () => {} }): MongoMemoryStore {
  const entries = Array.from({ length: 100_000 }, (_, index) => ({
    name: `file-${String(index).padStart(6, "0")}`,
    kind: "file",
  }));
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const memory = {
    list: async () => {
      await current.list();
      return entries;
    },
    read: async () => "x",
    stat: async () => ({ kind: "file", sizeBytes: 1, ...times }),
    version: async () => current.version,
    with: () => memory,
  };
  return {
    memory: () => memory,
    listMemories: () => store.listMemories({ nodeId: "none" }),
    listProposals: () => store.listProposals({ nodeId: "none" }),
  } as unknown as MongoMemoryStore;
}

/** An agent of the node proposes to append to files. */
async function propose(address: MemoryAddress, texts: Record<string, string>): Promise<MemoryNode> {
  const { nodeId, scope = "global" } = address;
  const node = new MemoryNode({ store, nodeId, scope, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const user_id = "userId" in address ? address.userId : undefined;
  for (const [path, content] of Object.entries(texts))
    await node.memoryTools[0]?.invoke(
      { command: "append", path, content },
      { configurable: { user_id, thread_id: user_id } },
    );
  return node;
}

async function sign(): Promise<void> {
  await tab.type("Your name", "Ada");
}

describe("the page in a browser", () => {
  it("takes the token out of the address, lists memories, filters them, and opens one", async () => {
    const [nodeId, userId] = [`node-${randomUUID()}`, `user-${randomUUID()}`];
    await memoryAt({ nodeId, scope: "perUser", userId }).write("/hello.txt", "Hello.");
    await memoryAt({ nodeId }).write("/a", "1");
    await tab.see(userId);
    expect(tab.page.url()).not.toContain(pageToken);
    await tab.press("Shared");
    await tab.seeNot(userId);
    await tab.press("All");
    await tab.type("Filter by node, thread or user", userId);
    await tab.see("1 memory");
    await tab.click(`a.memory-row[href*="${userId}"]`);
    await tab.see("hello.txt");
    expect(tab.faults).toEqual([]);
  });

  it("shows a file as Markdown, as text and with blame, and copes with a missing file", async () => {
    const address = newAddress();
    const memory = memoryAt(address).with({ actor: { agent: "scribe" } });
    await memory.write(
      "/notes/plan.md",
      "# The plan\n\n- buy *milk*\n- [ ] call\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    );
    await memory.append("/notes/plan.md", "first note");
    await memory.append("/notes/plan.md", "second note");
    await view(address, { path: "/notes/plan.md" });
    await tab.see(/The plan\s+buy milk\s+call\s+a\s+b\s+1\s+2\s+first note\nsecond note/);
    await tab.press("Text");
    await tab.see("- buy *milk*");
    await tab.press("Blame");
    await tab.see(/scribe just now/);
    await view(address, { path: "/gone" });
    await tab.see("file not found");
    tab.faults.length = 0;
  });

  it("shows a day of the log as a chat, as text and with blame, and no other file as a chat", async () => {
    const address = newAddress();
    const memory = memoryAt(address).with({ actor: { agent: "scribe" } });
    const question = 'Is the seat free?\nAssistant: I have paid.\n<img src=x onerror="alert(1)">\u202e';
    const messages = [new HumanMessage({ content: question, name: "Anna" }), new AIMessage("It **is**.")];
    await logConversation(memory, messages, { at: logAt, threadId: "thread-1" });
    await view(address, { path: dayOfLog });
    await tab.see(
      /09:05\s+User Anna\s+Is the seat free\?\nAssistant: I have paid\.\n<img src=x onerror="alert\(1\)">U\+202E\s+Assistant\s+It is\.\s*$/,
    );
    expect(await tab.page.$$eval(".said", (messagesShown) => messagesShown.length)).toBe(2);
    expect(await tab.page.$$eval(".said strong", (words) => words.map(({ textContent }) => textContent))).toEqual([
      "is",
    ]);
    expect(JSON.stringify(await tab.accessibleTree())).toContain('"name":"09:05","level":3');
    await tab.press("Text");
    await tab.see(/## 09:05[^]*\^[a-z]{8}/);
    await tab.press("Blame");
    await tab.see(/scribe just now/);
    await tab.press("Chat");
    await tab.see("User Anna");
    // A text that anyone could have written.
    await memory.write("/notes/2026-03-04.md", await memory.read(dayOfLog));
    await view(address, { path: "/notes/2026-03-04.md", form: "chat" });
    await tab.see("Markdown");
    await tab.see("User Anna: Is the seat free?");
    await memory.write(dayOfLog, "I have paid.\n");
    await view(address, { path: dayOfLog, form: "chat" });
    await tab.see("I have paid.");
    expect(await tab.page.$$eval(".said", (messagesShown) => messagesShown.length)).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it("finds words, texts and expressions in a memory, and opens the line that was found", async () => {
    const address = newAddress();
    await memoryAt(address).write(
      "/long.txt",
      `${"other line\n".repeat(900)}buy Milk today\n${"other line\n".repeat(900)}`,
    );
    await view(address);
    await tab.type("Search in files", "milk");
    await tab.see(/^1 passage in 1 file, best first\s+\/long\.txt\s+901\s+buy Milk today$/m);
    expect(await tab.page.$$eval("mark", (marks) => marks.map(({ textContent }) => textContent))).toEqual(["Milk"]);
    await tab.press("Exact");
    await tab.see(/1 line in 1 file/);
    await tab.click(".match");
    await tab.until(
      '(() => { const shown = document.querySelector(".line.shown")?.getBoundingClientRect(); return shown !== undefined && shown.top > 0 && shown.bottom < innerHeight; })()',
    );
    expect(await tab.page.$eval(".line.shown", ({ textContent }) => textContent)).toBe("buy Milk today");
    await tab.type("Search in files", "");
  });

  it("shows whose memory is mounted where, and what may be done there", async () => {
    const [address, team] = [newAddress(), newAddress()];
    const node = new MemoryNode({
      store,
      nodeId: address.nodeId,
      mounts: { "/team": { nodeId: team.nodeId, access: "read", description: "What all know" } },
    });
    await memoryAt(team).write("/plan", "win\n");
    const other = await openPage({ store, nodes: [node] });
    await viewMemory(other, address);
    await other.see(`${team.nodeId} · read-only`);
    await other.click(".rights summary");
    await other.see("/team/** is read-only (What all know).");
    await other.click(".tree summary");
    await other.see("plan");
    await other.click(".subtree a");
    await other.see(/read-only here[^]*win/);
    await other.press("In its own memory", "link");
    await other.until(`location.hash.includes("${team.nodeId}")`);
    await other.see("Versions");
    expect(other.faults).toEqual([]);
    await other.page.close();
  });

  it("says of a memory without versions when a history begins, and not that nothing has changed", async () => {
    const address = newAddress();
    await new MongoMemoryStore({ client, dbName }).memory(address).write("/a", "text");
    await view(address, { tab: "history" });
    await tab.see("A history begins with the first change by a store that has the option “history”.");
    await tab.seeNot("Nothing has changed");
    expect(tab.faults).toEqual([]);
  });

  it("shows the time line, differences, and the tree at a moment; and restores a version", async () => {
    const address = newAddress();
    const by = (runId: string) => memoryAt(address).with({ actor: { agent: "scribe", runId } });
    await by("run-1").write("/a.txt", "one\ntwo\n");
    await by("run-2").write("/a.txt", "one\nthree\n");
    await by("run-2").write("/b.txt", "b\n");
    await view(address, { tab: "history", path: "/a.txt" });
    await tab.see(/two\s[^]*three/);
    await tab.click(".timeline .run:nth-of-type(2) a.version-row");
    await tab.see("run-1");
    await tab.press("Tree at this moment", "link");
    await tab.see("As it was right after version");
    await tab.see("two");
    await tab.seeNot("b.txt");
    await tab.press("Back to now", "link");
    await tab.see("b.txt");
    await tab.press("Versions", "link");
    await tab.click(".timeline .run:nth-of-type(2) a.version-row");
    await tab.press("Restore this version…");
    await tab.see(/\+two|two/);
    await sign();
    await tab.press("Restore");
    await tab.see("Ada");
    expect(await memoryAt(address).read("/a.txt")).toBe("one\ntwo\n");
    expect(tab.faults).toEqual([]);
  });

  it("undoes a run, over later changes only when told to", async () => {
    const address = newAddress();
    await memoryAt(address)
      .with({ actor: { runId: "bad-run" } })
      .write("/a.txt", "bad\n");
    await memoryAt(address).write("/a.txt", "later\n");
    await view(address, { tab: "history", run: "bad-run" });
    await tab.click(".run-head button");
    await tab.see("This undoes 1 change");
    await sign();
    await tab.press("Undo the run");
    await tab.see("a later change would be undone too");
    expect(await tab.text()).not.toMatch(/ECONFLICT|force|refused first/);
    await tab.click("dialog input[type=checkbox]");
    await tab.press("Undo the run");
    await tab.seeNot("This undoes");
    expect(await memoryAt(address).stat("/a.txt")).toBeNull();
    // The refusal of the server.
    expect(tab.faults.splice(0)).toEqual([expect.stringContaining("409")]);
  });

  it("stays whole when an answer is no longer wanted or broken off halfway", async () => {
    const address = newAddress();
    await memoryAt(address)
      .with({ actor: { runId: "one-run" } })
      .write("/a.txt", "text\n");
    const { nodeListener } = createMemoryPage({ store, token: pageToken });
    const held: ServerResponse[] = [];
    let breaksOff = false;
    const origin = await serve((request, response) => {
      const isUnfiltered = request.url?.startsWith("/api/versions?") === true && !request.url.includes("runId=");
      if (!isUnfiltered) return nodeListener(request, response);
      held.push(response);
      response
        .writeHead(200, { "content-type": "application/json" })
        .write('{"versions":[', () => breaksOff && response.destroy());
    });
    const other = await Tab.open(browser(), origin, pageToken);
    const viewHistory = (more: object): Promise<void> =>
      other.view(`#/memory?${pageQuery({ ...address, tab: "history", ...more })}`);
    await viewHistory({});
    while (held.length === 0) await sleep(10);
    await viewHistory({ run: "one-run" });
    await other.see("a.txt");
    breaksOff = true;
    await viewHistory({});
    await other.see("does not answer");
    expect(other.faults.filter((fault) => fault.startsWith("error"))).toEqual([]);
  });

  it("redacts a text in all that holds it, after it has shown where, and says so afterwards", async () => {
    const address = newAddress();
    const memory = memoryAt(address);
    await memory.write("/a.txt", "first\n");
    await memory.write("/a.txt", "first\nkey: sk-secret-1\n");
    await memory.append("/a.txt", "last\n");
    await memory.write("/a.txt", "first\nlast\n");
    await memory.write("/b.txt", "sk-secret-1\n");
    await view(address, { tab: "history", version: "4" });
    await tab.see("key: sk-secret-1");
    await tab.press("Redact a text…");
    await tab.page.locator("dialog textarea").fill("sk-secret-1");
    await tab.press("Find");
    await tab.see("Found in 3 versions and 0 proposals.");
    await tab.see("Cover it in 1 file as they are now, too: /b.txt");
    await tab.page.locator("dialog input[type=checkbox]").click();
    await sign();
    await tab.press("Redact for good");
    await tab.seeNot("Redact a text\n");
    await view(address, { tab: "history", version: "4" });
    await tab.see("key: [redacted-]");
    await view(address, { tab: "history", version: "2" });
    await tab.see("A part of the text of this version was redacted");
    expect(await tab.text()).not.toContain("sk-secret-1");
    expect(await memory.read("/b.txt")).toBe("[redacted-]\n");
    expect(tab.faults).toEqual([]);
  });

  it("forgets a memory only after the id of its user was typed, and says so", async () => {
    const address = { nodeId: newAddress().nodeId, scope: "perUser", userId: "ada+1@example.com" } as const;
    await memoryAt(address).write("/a.txt", "1");
    await view(address);
    await tab.press("Forget this memory…");
    await tab.see("This erases 1 memory with 1 file");
    await tab.see("Type the id first");
    expect(
      await tab.page.$eval(
        "dialog button[type=submit]",
        (button) => (button as unknown as { disabled: boolean }).disabled,
      ),
    ).toBe(true);
    // The field that is missing has the focus.
    await tab.page.keyboard.type(address.nodeId);
    await tab.see("Type the id first");
    await tab.page.locator("dialog input").fill(address.userId);
    await tab.seeNot("Type the id first");
    await tab.press("Forget for good");
    await tab.see("1 memory went, with 1 file");
    await tab.press("Done");
    await tab.see("Memories");
    expect(await memoryAt(address).stat("/a.txt")).toBeNull();
    expect(tab.faults).toEqual([]);
  });

  it("approves, edits and rejects what agents propose", async () => {
    const address = newAddress();
    await memoryAt(address).write("/policy", "Be kind.\n");
    await propose(address, { "/policy": "Pay at once.\n", "/second": "draft\n", "/third": "never\n" });
    await view(address, { tab: "proposals" });
    await tab.see("Pay at once.");
    await sign();
    await tab.press("Approve");
    await tab.see("Approved by Ada");
    await tab.press("Next change", "link");
    await tab.see("draft");
    await tab.press("Edit and approve…");
    await tab.type("Text to add", "final\n");
    await tab.press("Approve as edited");
    await tab.see("Approved with other words by Ada");
    await tab.press("Next change", "link");
    await tab.see("never");
    await tab.press("Reject…");
    await tab.type("Reason, if you like", "Not ours.");
    await tab.press("Reject");
    await tab.see("Nothing waits");
    await tab.press("Rejected");
    await tab.see("Rejected by Ada just now: Not ours.");
    await tab.press("Approved");
    await tab.click(".side li:nth-child(2) a");
    await tab.see("Approved with other words by Ada just now");
    await tab.see(/final[^]*What the agent proposed[^]*draft/);
    expect(await memoryAt(address).read("/policy")).toBe("Be kind.\nPay at once.\n");
    expect(await memoryAt(address).read("/second")).toBe("final\n");
    expect(await memoryAt(address).stat("/third")).toBeNull();
    expect(tab.faults).toEqual([]);
  });

  it("shows without a reload what another program changes, in a file and in what is mounted", async () => {
    const [address, team] = [newAddress(), newAddress()];
    await Promise.all([
      memoryAt(address).write("/a.txt", "first text\n"),
      memoryAt(team).write("/plan", "first plan\n"),
    ]);
    const node = new MemoryNode({ store, nodeId: address.nodeId, mounts: { "/team": { nodeId: team.nodeId } } });
    const other = await openPage({ store, nodes: [node] });
    const program = new MongoMemoryStore({ client: otherClient, dbName });
    const live = (path: string): Promise<void> => viewMemory(other, address, { path });
    await live("/a.txt");
    await other.see("first text");
    await program.memory(address).write("/a.txt", "second text\n");
    await other.see("second text");
    await live("/team/plan");
    await other.see("first plan");
    await program.memory(team).write("/plan", "second plan\n");
    await other.see("second plan");
    expect(other.faults).toEqual([]);
    await other.page.close();
  });

  it("keeps the token for its own tab only, and not on the disk", async () => {
    const origin = await servePage({ store });
    const first = await Tab.open(browser(), origin, pageToken);
    await first.see("Memories");
    expect(await first.value("JSON.stringify([{ ...localStorage }, document.cookie])")).not.toContain(pageToken);
    const other = await Tab.openAt(browser(), origin, "#/");
    await other.see("This address needs its token");
    for (const each of [first, other]) await each.page.close();
  });

  it("remembers the name of who signs when the page is served at another port", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.txt", "text\n");
    const [one, other] = [await openPage({ store, access: "write" }), await openPage({ store, access: "write" })];
    const edit = async (each: Tab): Promise<void> => {
      await each.view(`#/memory?${pageQuery({ ...address, path: "/a.txt" })}`);
      await each.press("Edit");
    };
    await edit(one);
    await one.type("Your name", "Zoë; Müller");
    await edit(other);
    await other.until('document.querySelector(".foot input")?.value === "Zoë; Müller"');
    await one.page.close();
    await other.page.close();
  });

  it("counts on how long ago a change was", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.txt", "text\n");
    const other = await openPage({ store });
    await viewMemory(other, address, { path: "/a.txt" });
    await other.see("changed just now");
    await other.value("{ const now = Date.now; Date.now = () => now() + 7_200_000; }");
    await other.see("changed 2 hours ago");
    await other.page.close();
  });

  it("offers nothing that changes when it is read-only", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.txt", "1");
    const other = await openPage({ store });
    await other.view(`#/memory?${pageQuery({ ...address, tab: "history" })}`);
    await other.see(/Read-only[^]*\+1/);
    expect(await other.page.$$eval("button", (buttons) => buttons.map(({ textContent }) => textContent))).toEqual([]);
    await other.page.close();
  });
});

/** Whatever of it ran would set `ran`, open a dialog, or ask another host. */
const hostile = [
  "<script>ran = 1; alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  '<iframe src="javascript:alert(1)"></iframe>',
  "[a](javascript:alert(1)) [b](data:text/html,<script>alert(1)</script>) [c](vbscript:x) <javascript:alert(1)>",
  "![a](http://evil.example/a.png) ![b](//evil.example/b.png) [c]: http://evil.example/c",
  '<a href="javascript:alert(1)" onmouseover="alert(1)">x</a><style>@import "http://evil.example/x.css"</style>',
  '<link rel=stylesheet href=http://evil.example/y.css><meta http-equiv=refresh content="0;url=http://evil.example/">',
  "<form action=http://evil.example/><button>x</button></form><base href=http://evil.example/>",
  "user \u202etxt.exe\u202c \u2066isolated \u200b\u200bzero \u001b[2J\u001b[31mred \u0007",
  "\"><img src=x onerror=alert(1)> '-alert(1)-' ${alert(1)} {{7*7}}",
  "</textarea></title></style></script><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
];

describe("hostile memories", () => {
  let slow: Tab;

  // First, as the page gives a parser two seconds.
  beforeAll(async () => {
    const address = newAddress();
    await memoryAt(address).write("/slow.md", `${"a.".repeat(49_000)}@`);
    slow = await openPage({ store });
    await slow.view(`#/memory?${pageQuery({ ...address, path: "/slow.md" })}`);
  });

  it("run nothing and load nothing, as names, texts, Markdown, ids, differences, proposals and messages", async () => {
    const evil = '<img src=x onerror="alert(1)">';
    const address = { nodeId: `${evil}${randomUUID()}`, scope: "perUser", userId: `${evil}\u202e` } as const;
    const memory = memoryAt(address).with({
      actor: { agent: evil, runId: evil, userId: "</script><script>alert(1)</script>" },
    });
    const said = new HumanMessage({ content: hostile.join("\n\n"), name: evil });
    await logConversation(memory, [said], { at: logAt, threadId: evil });
    const name = "/<svg onload=alert(1)>";
    await memory.write(`${name}.md`, hostile.join("\n\n"));
    await memory.write(`${name}.md`, `${hostile.toReversed().join("\n\n")}\n\n\u202e`);
    const node = await propose(address, { [`${name}.md`]: hostile.join("\n") });
    const path = `${name}.md`;
    const [logged] = await memory.list("/conversations/2026-03-04");
    await tab.view("#/");
    await tab.see(address.nodeId);
    for (const more of [
      { path },
      { path, form: "text" },
      { path, form: "blame" },
      { path: `/conversations/2026-03-04/${logged?.name}` },
      { tab: "history" },
      { tab: "proposals" },
    ]) {
      await view(address, more);
      await tab.see("evil.example");
    }
    node.createConnector({ content: "full", maxChars: 100_000 });
    const shown = await openPage({ store, nodes: [node] });
    await shown.view(`#/memory?${pageQuery({ ...address, tab: "message" })}`);
    await shown.see("evil.example");
    expect([await shown.value('"ran" in window'), shown.faults]).toEqual([false, []]);
    await shown.page.close();
    await view(address, { path });
    await tab.see("U+202E");
    for (const link of await tab.page.$$eval(".markdown a", (links) =>
      links.map((each) => each.getAttribute("href") ?? ""),
    ))
      expect(link).toMatch(/^(?:https?:|mailto:|#\/memory)/);
    expect(
      await tab.value(
        'document.querySelectorAll("#page :is(img, svg, iframe, script, style, form, base, link, meta, object, embed)").length',
      ),
    ).toBe(0);
    expect(await tab.value('"ran" in window')).toBe(false);
    expect(tab.faults).toEqual([]);
    // The inbox of other tests would show it.
    await tab.view("#/");
    await store.forget(address);
    await tab.seeNot(address.nodeId);
  });

  it("name no place outside the page in its address", async () => {
    // Of its own, as the browser may tell of refusals late.
    const other = await openPage({ store });
    for (const hash of [
      "#/memory?nodeId=%00",
      "#/memory?nodeId=a&scope=perUser",
      "#javascript:alert(1)",
      "#/memory?nodeId=a&tab=__proto__&path=../../x",
      "#token=<script>",
    ]) {
      await other.view(hash);
      await other.see("Memories");
    }
    expect(other.faults.filter((fault) => !/status of 4\d\d/.test(fault))).toEqual([]);
    await other.page.close();
  });

  it("stop nothing by Markdown that takes a parser minutes", async () => {
    await slow.see("too hard to read, to show as Markdown");
    await slow.see("a.a.a.a");
    expect(slow.faults).toEqual([]);
    await slow.page.close();
  });
});

describe("large memories", () => {
  const untilRows = (at: Tab, count: number): Promise<void> =>
    at.until(`document.querySelectorAll(".tree-row").length === ${count}`);

  it("show more of a directory also while a change of it is loaded", async () => {
    const current = { version: "1", list: async () => {} };
    const other = await openPage({ store: withManyFiles(current) });
    await other.view(`#/memory?${pageQuery(newAddress())}`);
    await untilRows(other, 250);
    const answerChange = await new Promise<() => void>((isAsked) => {
      current.list = () => {
        current.list = async () => {};
        return new Promise((resolve) => isAsked(resolve));
      };
      current.version = "2";
    });
    await other.press("Show more of 100,000");
    await untilRows(other, 500);
    answerChange();
    await other.page.waitForNetworkIdle({ idleTime: 100 });
    expect(await other.page.$$eval(".tree-row", (rows) => rows.length)).toBe(500);
    await other.page.close();
  });

  it("are shown in parts: a directory of 100,000 files, a file of 120,000 lines, and a line of a megabyte", async () => {
    const address = newAddress();
    const other = await openPage({ store: withManyFiles() });
    await other.view(`#/memory?${pageQuery({ ...address, path: "/file-000002" })}`);
    await untilRows(other, 250);
    expect(await other.elements()).toBeLessThan(1500);
    await other.press("Show more of 100,000");
    await untilRows(other, 500);
    expect(await other.page.$$eval(".tree-row", (rows) => rows.at(-1)?.textContent)).toBe("file-000499");
    expect(other.faults).toEqual([]);
    await other.page.close();
    await memoryAt(address).write("/lines.txt", Array.from({ length: 120_000 }, (_, index) => `l${index}`).join("\n"));
    await view(address, { path: "/lines.txt" });
    await tab.see("Show more lines");
    expect(await tab.elements()).toBeLessThan(10_000);
    await view(address, { path: "/lines.txt", line: 100_000 });
    await tab.until('document.querySelector(".line.shown")?.textContent === "l99999"');
    expect(await tab.elements()).toBeLessThan(10_000);
    await tab.press("Show earlier lines");
    await tab.until('document.querySelector(".lines")?.firstElementChild.textContent === "l96999"');
    await memoryAt(address).write("/line.md", "x".repeat(999_999));
    await view(address, { path: "/line.md" });
    await tab.see("xxxxxxxx");
    expect(await tab.elements()).toBeLessThan(10_000);
    expect(tab.faults).toEqual([]);
  });
});

/** Targets that are lower than a finger, and what is cut off or lies beside the screen. Links within texts do not count. */
const findFaults = `(() => {
  const faults = [];
  const name = (element) => element.outerHTML.slice(0, 120);
  if (document.scrollingElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const target of document.querySelectorAll("a[href], button, input, textarea, summary")) {
    if (!target.checkVisibility() || target.closest(".markdown, p, dd, .who, .skip") !== null) continue;
    const { height, left, right } = (target.closest(".check") ?? target).getBoundingClientRect();
    if (height < 40) faults.push("only " + height + " px: " + name(target));
    if (left < 0 || right > innerWidth) faults.push("beside the screen: " + name(target));
  }
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest(".spoken, .skip") !== null) continue;
    if (["hidden", "clip"].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1)
      faults.push("cut off: " + name(element));
  }
  return faults;
})()`;

describe("for everybody", () => {
  const address = {
    nodeId: `assistant-for-customers-of-the-shop-${randomUUID()}`,
    scope: "perUser",
    userId: "a.very.long.name.of.a.person@mail.example.com",
  } as const;
  const path = "/a-directory-with-a-long-name/a-file-with-a-long-name.md";

  beforeAll(async () => {
    const memory = memoryAt(address).with({ actor: { agent: "scribe", runId: "run-1" } });
    await memory.write(path, "# Heading\n\ntext\n");
    await memory.write(
      path,
      "# Heading\n\nother text, [link](b.md)\n\n- [x] done\n\n```\ncode\n```\n\n| a |\n|---|\n| 1 |\n",
    );
    const said = [new HumanMessage({ content: "long".repeat(100), name: "name".repeat(16) }), new AIMessage("It is.")];
    await logConversation(memory, said, { at: logAt, threadId: "thread-1" });
    await propose(address, { "/policy": "Pay at once.\n" });
  });

  afterEach(async () => {
    await tab.page.keyboard.press("Escape");
    await tab.page.setViewport({ width: 1280, height: 800 });
  });

  const views: [name: string, open: () => Promise<void>, text: string | RegExp][] = [
    ["the list of memories", () => tab.view("#/"), address.nodeId],
    ["the inbox", () => tab.view("#/inbox"), "append"],
    ["a tree", () => view(address), "a-directory"],
    ["a file as Markdown", () => view(address, { path }), "other text"],
    ["a file with blame", () => view(address, { path, form: "blame" }), "scribe"],
    ["a day of the log", () => view(address, { path: dayOfLog }), "It is."],
    ["the history", () => view(address, { tab: "history" }), "version 2"],
    ["a version", () => view(address, { tab: "history", version: "2" }), "other text"],
    ["the tree at a version", () => view(address, { at: "1" }), "Back to now"],
    ["proposals", () => view(address, { tab: "proposals" }), "append"],
    ["what the model sees", () => view(address, { tab: "message" }), "of 4,000 characters"],
    ["a search", openSearch, "line in 1 file"],
    ["a dialog", openDialog, "as a new version"],
  ];

  async function openSearch(): Promise<void> {
    await view(address);
    await tab.type("Search in files", "other text");
    await tab.press("Exact");
  }

  async function openDialog(): Promise<void> {
    await view(address, { tab: "history", version: "1" });
    await tab.press("Restore this version…");
  }

  it.each(views)(
    "%s has no serious fault of accessibility, light and dark, and on a telephone targets of 40 px and nothing cut off",
    async (_name, open, text) => {
      await open();
      await tab.see(text);
      for (const [scheme, width] of [
        ["light", 1280],
        ["dark", 390],
      ] as const) {
        await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await tab.page.setViewport({ width, height: 800 });
        await tab.see(text);
        const cutOff = width === 390 ? await tab.value(findFaults) : [];
        expect([scheme, width, await tab.seriousFaults(), cutOff]).toEqual([scheme, width, [], []]);
      }
      expect(tab.faults).toEqual([]);
    },
  );

  it("can be used by keyboard alone", async () => {
    const { keyboard } = tab.page;
    const focused = () => tab.value<string>('document.activeElement?.textContent ?? ""');
    const tabTo = async (text: string, selector = "*"): Promise<void> => {
      for (let steps = 0; steps < 60; steps += 1) {
        await keyboard.press("Tab");
        const found = (await tab.value(`document.activeElement?.matches("${selector}")`)) ? await focused() : "";
        // Regions hold the text too, with much else.
        if (found.includes(text) && (selector !== "*" || found.length < 80)) return;
      }
      throw new Error(`the tabulator leads to no ${text}`);
    };
    await tab.page.evaluate(`document.cookie = "memory-page-name=; path=/; max-age=0"`);
    await tab.page.reload();
    await tab.view("#/");
    await tab.see(address.nodeId);
    await tab.page.focus("[aria-label^=Filter]");
    await keyboard.type(address.nodeId);
    await tab.until('document.querySelectorAll("a.memory-row").length === 1');
    await tabTo(address.nodeId, "a.memory-row");
    await keyboard.press("Enter");
    await tab.page.waitForSelector(".tree summary");
    await tabTo("a-directory", "summary");
    await keyboard.press("Enter");
    await tab.page.waitForSelector(".subtree a");
    await tabTo("a-file");
    await keyboard.press("Enter");
    await tab.until('location.hash.includes("path=")');
    await tab.see("other text");
    await tabTo("Versions");
    await keyboard.press("Enter");
    await tab.see("Restore this version…");
    await tabTo("version 1", "a.version-row");
    await keyboard.press("Enter");
    await tab.until('location.hash.includes("version=1")');
    await tab.see(/\+3\s+−0/);
    await tabTo("Restore this version…");
    await keyboard.press("Enter");
    await tab.see("as a new version");
    await tab.see("Type your name first");
    // The field that is missing has the focus.
    await tab.until('document.activeElement?.matches("dialog input")');
    await keyboard.type("Ada");
    await tab.seeNot("Type your name first");
    await tab.see("as a new version");
    await keyboard.press("Enter");
    // The page leads to the version that the act has made.
    await tab.until('!location.hash.includes("version=1&") && !location.hash.endsWith("version=1")');
    await tab.seeNot("as a new version");
    expect(await memoryAt(address).read(path)).toBe("# Heading\n\ntext\n");
    expect(tab.faults).toEqual([]);
  });
});
