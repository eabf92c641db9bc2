import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { logConversation, type Memory, MemoryNode, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { learn } from "../../../src/learn/index.js";
import { untyped } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { by, change, learnFrom, said, scripted, texts, waiting } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (nodeId = randomUUID()): Memory => store.memory({ nodeId }, { paths: "posix" });

describe("learn from messages", () => {
  it("reads messages that are no objects of LangChain, and refuses what is no message", async () => {
    const memory = newMemory();
    const messages = untyped([{ role: "user", content: "I moved to Oslo." }, ["assistant", "Noted."]]);
    const { prompts } = await learnFrom(memory, [[]], { messages });
    expect(prompts[0]).toContain("s1, said by the user\n| I moved to Oslo.");
    expect(prompts[0]).toContain("s2, said by the assistant\n| Noted.");
    const call = learnFrom(memory, [[]], { messages: untyped([{ role: "user", text: "I moved to Oslo." }]) });
    await expect(call).rejects.toThrow(/^messages\[0\] is no message: it has no content$/);
  });

  it("proposes what the model answers, as one run, with its sources, trust and model", async () => {
    const memory = newMemory();
    await memory.write("/profile/ada.md", "Lives in Berlin.\n");
    const report = await learnFrom(memory, [
      [
        change("edit", "/profile/ada.md", { oldText: "Lives in Berlin.", text: "Lived in Berlin, since May in Oslo." }),
        change("append", "/profile/ada.md", { text: "Likes tea." }),
        change("write", "/profile/new.md", { text: "A new note." }),
      ],
    ]);
    expect(await texts(memory)).toEqual({ "/profile/ada.md": "Lives in Berlin.\n" });
    const proposals = await waiting(memory);
    expect(report.proposals).toEqual(proposals.map(({ id }) => id));
    expect(report).toMatchObject({
      dropped: [],
      applied: [],
      isUpToDate: false,
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    expect(proposals.map(({ command, path, content }) => [command, path, content])).toEqual([
      ["edit", "/profile/ada.md", "Lived in Berlin, since May in Oslo.\nLikes tea."],
      ["write", "/profile/new.md", "A new note."],
    ]);
    for (const { actor, origin } of proposals) {
      expect(actor).toMatchObject({ client: "learn", runId: report.runId });
      expect(origin).toMatchObject({ sources: ["message:m-I moved to Oslo."], trust: "person", model: "scripted-1" });
    }
  });

  it("gives the old tree when everything is approved and the run undone, and loses no byte", async () => {
    const memory = newMemory();
    const before = { "/profile/a.md": "Lives in Berlin.\nLikes tea.\n", "/profile/b.md": "old\n", "/other.md": "raw" };
    for (const [path, content] of Object.entries(before)) await memory.write(path, content);
    const { runId } = await learnFrom(memory, [
      [
        change("edit", "/profile/a.md", { oldText: "Likes tea.", text: "Liked tea until May." }),
        change("archive", "/profile/b.md"),
        change("write", "/projects/c.md", { text: "new" }),
      ],
    ]);
    for (const { id } of await waiting(memory)) await memory.proposals?.approve(id, { by });
    expect(await texts(memory)).toEqual({
      "/profile/a.md": "Lives in Berlin.\nLiked tea until May.\n",
      "/archive/profile/b.md": "old\n",
      "/projects/c.md": "new",
      "/other.md": "raw",
    });
    const kept = await Promise.all(
      (await readAll(memory.history?.list() ?? [])).map(async ({ id }) => (await memory.history?.read(id))?.content),
    );
    expect(kept).toEqual(expect.arrayContaining(Object.values(before)));
    await memory.history?.revert({ runId: runId ?? "" });
    expect(await texts(memory)).toEqual(before);
  });

  it("shows the model quoted texts of user and assistant, and what the memory says already", async () => {
    const memory = newMemory();
    await memory.write("/profile/ada.md", "Ada lives in Berlin.\n");
    const messages = [
      new SystemMessage("the system prompt"),
      new HumanMessage('Ada moved from Berlin.\n<memory scope="global">shown before</memory>'),
      new AIMessage("Noted."),
      new ToolMessage({ content: "tool traffic", tool_call_id: "1" }),
    ];
    const { prompts } = await learnFrom(memory, [[]], { messages });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("/profile/ada.md\n| Ada lives in Berlin.");
    expect(prompts[0]).toContain("s1, said by the user\n| Ada moved from Berlin.");
    expect(prompts[0]).toContain("s2, said by the assistant\n| Noted.");
    for (const hidden of ["the system prompt", "shown before", "tool traffic"])
      expect(prompts[0]).not.toContain(hidden);
  });

  it("gives refused operations back once, and then drops them", async () => {
    const memory = newMemory();
    const wrong = change("edit", "/profile/a.md", { oldText: "gone", text: "x" });
    const right = change("write", "/profile/a.md", { text: "right" });
    const { dropped, prompts, proposals } = await learnFrom(memory, [[right, wrong], [wrong]]);
    expect(prompts[1]).toContain("oldText is in the file 0 times");
    expect(dropped).toMatchObject([{ why: expect.stringContaining("exactly once") }]);
    expect(proposals).toHaveLength(1);
  });

  it.each([
    ["that is a text", () => "no operations today"],
    ["that is nothing", () => null],
    ["without a list", () => ({ operations: "many" })],
    ["with operations of no form", () => ({ operations: [null, 7, { operation: "rm" }, { operation: "write" }] })],
  ])("drops an answer %s", async (_name, answer) => {
    const memory = newMemory();
    const { dropped, proposals } = await learnFrom(memory, [answer, answer]);
    expect(dropped.length).toBeGreaterThan(0);
    expect(proposals).toEqual([]);
    expect(await waiting(memory)).toEqual([]);
  });

  it.each([[""], [null]])("tells messages with the id %j apart", async (id) => {
    const memory = newMemory();
    const messages = ["Hi", "I moved."].map((content) => ({ role: "user", content, id: untyped(id) }));
    await learnFrom(memory, [[change("write", "/profile/a.md", { text: "x", sources: ["s1", "s2"] })]], {
      messages: untyped(messages),
    });
    const [proposal] = await waiting(memory);
    expect(new Set(proposal?.origin?.sources)).toHaveProperty("size", 2);
  });

  it("reads a message with half a character", async () => {
    const { prompts } = await learnFrom(newMemory(), [[]], { messages: said("Oslo \ud800") });
    expect(prompts[0]).toContain("| Oslo \\ud800");
  });

  it("writes a text once that an answer writes to two files", async () => {
    const memory = newMemory();
    const both = ["/profile/a.md", "/profile/b.md"].map((path) => change("write", path, { text: "the same\n" }));
    const { dropped } = await learnFrom(memory, [both, []]);
    expect(dropped).toEqual([]);
    expect((await waiting(memory)).map(({ path }) => path)).toEqual(["/profile/a.md"]);
  });

  it("keeps at most `operations` of a thousand", async () => {
    const memory = newMemory();
    const many = Array.from({ length: 1000 }, (_, index) =>
      change("write", `/profile/${index}.md`, { text: `${index}` }),
    );
    const { proposals } = await learnFrom(memory, [many, []], { messages: said("much"), limits: { operations: 5 } });
    expect(proposals).toHaveLength(5);
  });

  it.each<[string, object]>([
    ["an unknown source", change("write", "/profile/n.md", { text: "x", sources: ["s9"] })],
    ["no source", change("write", "/profile/n.md", { text: "x", sources: [] })],
    ["no reason", change("write", "/profile/n.md", { text: "x", reason: " " })],
    ["a file that exists", change("write", "/profile/a.md", { text: "x" })],
    ["the text of another file", change("write", "/profile/n.md", { text: "kept\nelsewhere" })],
    ["what stands there", change("append", "/profile/a.md", { text: "twice" })],
    ["a text that is there twice", change("edit", "/profile/a.md", { oldText: "twice", text: "x" })],
    ["a deletion", change("delete", "/profile/a.md")],
    ["an existing target", change("rename", "/profile/a.md", { to: "/profile/b.md" })],
    ["too much removed", change("edit", "/profile/b.md", { oldText: "b".repeat(800), text: "" })],
    ["hidden characters", change("append", "/profile/a.md", { text: "hid\u200bden" })],
    ["a path outside write", change("write", "/other/a.md", { text: "x" })],
    ["a path that climbs", change("write", "/profile/../other.md", { text: "x" })],
    ["a move out of write", change("rename", "/profile/a.md", { to: "/other.md" })],
    ["a log", change("append", "/conversations/2026-05-03.md", { text: "x" })],
  ])("refuses %s", async (_name, operation) => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "twice\ntwice\n");
    await memory.write("/profile/b.md", "b".repeat(800));
    await memory.write("/notes/c.md", "kept\nelsewhere\n");
    const { dropped } = await learnFrom(memory, [[operation], [operation]], {
      messages: said("x"),
      ...(JSON.stringify(operation).includes("/conversations") && { write: ["/**"] }),
    });
    expect(dropped).toHaveLength(1);
    expect(await waiting(memory)).toEqual([]);
  });

  it("follows the rules and the guard of a node", async () => {
    const nodeId = randomUUID();
    const guard = ({ content }: { content: string }): string => content.replace("4711", "[secret]");
    const rules = [{ path: "/profile/fixed.md", access: "read" } as const];
    const node = new MemoryNode({ store, nodeId, paths: "posix", rules, guard });
    const fixed = change("write", "/profile/fixed.md", { text: "x" });
    const code = change("write", "/profile/code.md", { text: "The code is 4711." });
    const { model, prompts } = scripted([fixed, code], [fixed]);
    const { dropped } = await learn({ memory: node, model, messages: said("4711") });
    const why = '/profile/fixed.md is read-only here (access "read")';
    expect(prompts[1]).toContain(why);
    expect(dropped).toMatchObject([{ why }]);
    expect((await waiting(newMemory(nodeId))).map(({ content }) => content)).toEqual(["The code is [secret]."]);
  });

  it("returns to the model once what the guard refuses, with the guard's words", async () => {
    const nodeId = randomUUID();
    const guard = ({ content }: { content: string }): void => {
      if (content.includes("4711")) throw new Error("no codes");
    };
    const node = new MemoryNode({ store, nodeId, paths: "posix", guard });
    const named = change("write", "/profile/code.md", { text: "The code is 4711." });
    const mended = change("write", "/profile/code.md", { text: "Ada has a code." });
    const { dropped, prompts } = await learnFrom(node, [[named], [mended]], { messages: said("4711") });
    expect(prompts[1]).toContain("no codes");
    expect(dropped).toEqual([]);
    expect(await waiting(newMemory(nodeId))).toMatchObject([{ content: "Ada has a code." }]);
    const stubborn = await learnFrom(node, [[named], [named]], { messages: said("again 4711") });
    expect(stubborn).toMatchObject({ dropped: [{ operation: named, why: "no codes" }], proposals: [] });
  });

  it("returns to the model what follows a refused addition to the same file, and says so", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Lives in Berlin.");
    const guard = ({ command }: { command: string }): void => {
      if (command === "append") throw new Error("no additions");
    };
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, paths: "posix", guard });
    const edit = change("edit", "/profile/a.md", { oldText: "Berlin", text: "Oslo" });
    const answers = [[change("append", "/profile/a.md", { text: "Rides." }), edit], [edit]];
    const options = { messages: said("x"), apply: "append-only" } as const;
    const { dropped, prompts } = await learnFrom(node, answers, options);
    expect(prompts[1]).toContain("an earlier operation on the same file is refused");
    expect(dropped).toEqual([]);
    expect(await waiting(memory)).toMatchObject([{ command: "edit", content: "Lives in Oslo." }]);
  });

  it("returns to the model what no file can be, and reports each operation that it joined", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Lives in Berlin.");
    const below = ["one", "two"].map((text) => change("append", "/profile/a.md/b.md", { text }));
    const { dropped, prompts } = await learnFrom(memory, [below, below], { messages: said("x") });
    expect(prompts[1]).toContain("/profile/a.md");
    expect(dropped.map(({ operation }) => operation)).toEqual(below);
  });

  it.each(["edit", "archive"])("keeps an addition beside an operation that a rule refuses: %s", async (operation) => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Lives in Berlin.");
    const rules = [{ path: "/profile/**", access: "append" } as const];
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, paths: "posix", rules });
    const refused = change(operation, "/profile/a.md", { oldText: "Berlin", text: "Oslo" });
    const { model } = scripted([refused, change("append", "/profile/a.md", { text: "Rides." })], []);
    await learn({ memory: node, model, messages: said("x") });
    expect(await waiting(memory)).toMatchObject([{ command: "append", content: "Rides." }]);
  });

  it("makes additions at once with append-only, and proposes the rest", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Lives in Berlin.\n");
    await memory.write("/profile/b.md", "Likes tea.\n");
    const operations = [
      change("append", "/profile/a.md", { text: "Rides." }),
      change("edit", "/profile/b.md", { oldText: "tea", text: "milk" }),
      change("write", "/profile/c.md", { text: "new" }),
    ];
    const { applied, proposals, runId } = await learnFrom(memory, [operations], {
      messages: said("x"),
      apply: "append-only",
    });
    expect([applied, proposals.length]).toEqual([["/profile/a.md", "/profile/c.md"], 1]);
    expect(await texts(memory)).toEqual({
      "/profile/a.md": "Lives in Berlin.\nRides.",
      "/profile/b.md": "Likes tea.\n",
      "/profile/c.md": "new",
    });
    const [version] = await readAll(memory.history?.list({ path: "/profile/c.md" }) ?? []);
    expect(version?.actor).toMatchObject({ client: "learn", runId });
  });

  it("asks nobody twice about the same messages, and inserts nothing twice after a failure", async () => {
    const memory = newMemory();
    const operations = [
      change("write", "/profile/a.md", { text: "one" }),
      change("write", "/profile/b.md", { text: "two" }),
    ];
    let calls = 0;
    const guard = (): void => {
      calls += 1;
      // The first two calls check the answer.
      if (calls === 4) throw new TypeError("the process ends here");
    };
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, paths: "posix", guard });
    await learnFrom(node, [operations], { messages: said("x") });
    expect(await waiting(memory)).toHaveLength(1);
    const again = await learnFrom(memory, [operations, []], { messages: said("y") });
    expect(again.prompts[1]).toContain("this change waits for a person");
    expect(await waiting(memory)).toHaveLength(2);
    const third = await learnFrom(memory, [], { messages: said("y") });
    expect(third).toMatchObject({ isUpToDate: true, runId: null, prompts: [] });
  });

  it("does not propose again what a person has rejected, and shows it to the model", async () => {
    const memory = newMemory();
    const operations = [change("write", "/profile/a.md", { text: "Ada is rich." })];
    await learnFrom(memory, [operations], { messages: said("x") });
    const [proposal] = await waiting(memory);
    await memory.proposals?.reject(proposal?.id ?? "", { by, reason: "private" });
    const { dropped, prompts } = await learnFrom(memory, [operations, operations], { messages: said("y") });
    expect(dropped).toMatchObject([{ why: "a person has rejected this change" }]);
    expect(prompts[0]).toContain("| private");
    expect(prompts[1]).toContain("a person has rejected this change");
    expect(await waiting(memory)).toEqual([]);
  });

  it("throws what the model throws, and lets the next run do the work", async () => {
    const memory = newMemory();
    await expect(learnFrom(memory, [new Error("overloaded")])).rejects.toThrow("overloaded");
    expect((await learnFrom(memory, [[]])).isUpToDate).toBe(false);
  });

  it("ends when its signal aborts while the model works, and inserts nothing", async () => {
    const memory = newMemory();
    const controller = new AbortController();
    const answer = (): object => {
      controller.abort(new Error("enough"));
      return { operations: [change("write", "/profile/a.md", { text: "x" })] };
    };
    const run = learnFrom(memory, [answer], { messages: said("x"), signal: controller.signal });
    await expect(run).rejects.toThrow("enough");
    expect(await waiting(memory)).toEqual([]);
  });

  it("says how many messages at the end did not fit", async () => {
    const messages = ["a", "b", "c", "d", "e", "f"].flatMap((letter) => said(letter.repeat(250)));
    const { prompts, unread } = await learnFrom(newMemory(), [[]], { messages, limits: { inputChars: 1000 } });
    expect([prompts[0]?.includes("dddd"), prompts[0]?.includes("eeee"), unread]).toEqual([true, false, 2]);
  });

  it("proposes nothing if another run has read the same texts while the model worked", async () => {
    const memory = newMemory();
    const first = change("write", "/profile/first.md", { text: "x" });
    const answer = async (): Promise<object> => {
      await learnFrom(memory, [[first]]);
      return { operations: [change("write", "/profile/second.md", { text: "y" })] };
    };
    await expect(learnFrom(memory, [answer])).rejects.toMatchObject({ code: "ECONFLICT" });
    expect((await waiting(memory)).map(({ path }) => path)).toEqual(["/profile/first.md"]);
  });

  it("keeps what two runs propose that read other texts at the same time", async () => {
    const memory = newMemory();
    const answer = async (): Promise<object> => {
      await learnFrom(memory, [[change("write", "/profile/b.md", { text: "y" })]], { messages: said("b") });
      return { operations: [change("write", "/profile/a.md", { text: "x" })] };
    };
    await learnFrom(memory, [answer], { messages: said("a") });
    expect((await waiting(memory)).map(({ path }) => path).toSorted()).toEqual(["/profile/a.md", "/profile/b.md"]);
  });

  it("inserts nothing after the memory was forgotten while the model worked", async () => {
    const memory = newMemory();
    const answer = async (): Promise<object> => {
      await store.forget({ nodeId: memory.address.nodeId });
      return { operations: [change("write", "/profile/a.md", { text: "x" })] };
    };
    await expect(learnFrom(memory, [answer])).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(await waiting(memory)).toEqual([]);
  });

  it("counts no progress among forgotten proposals", async () => {
    const memory = newMemory();
    await learnFrom(memory, [[change("write", "/profile/a.md", { text: "x" })]]);
    expect(await store.forget({ nodeId: memory.address.nodeId })).toMatchObject({ proposals: 1 });
  });

  it("needs proposals, and refuses bad options", async () => {
    const other = openMemory(new InMemoryStore(), { nodeId: "a" });
    await expect(learnFrom(other, [[]])).rejects.toThrow("keeps no proposals");
    for (const bad of [{ write: [] }, { limits: { operations: 0 } }, { wrong: 1 }, { memory: {} }, { model: {} }])
      await expect(learnFrom(newMemory(), [[]], untyped(bad))).rejects.toThrow(TypeError);
  });
});

describe("learn from what changed", () => {
  it("reads what is new since the last good run, and asks no model when nothing is", async () => {
    const memory = newMemory();
    await memory.append("/inbox/a.md", "first note");
    const first = await learnFrom(memory, [[]], {});
    expect(first.prompts[0]).toContain("| first note");
    expect((await learnFrom(memory, [], {})).isUpToDate).toBe(true);
    await memory.append("/inbox/a.md", "second note");
    const { prompts } = await learnFrom(memory, [[]], {});
    expect(prompts[0]).toMatch(/s1, written to \/inbox\/a\.md at \S+\n\| second note/);
    expect(prompts[0]).not.toContain("New texts:\n.*first note");
  });

  it("reads each new message of a log, also in the words of an earlier one, and no marks", async () => {
    const memory = newMemory();
    const at = new Date("2026-03-04T09:05:00Z");
    const say = (role: string, content: string, id: string) => ({ role, content, id });
    const messages = [say("assistant", "Tea?", "1"), say("user", "Yes", "2")];
    await logConversation(memory, messages, { at, threadId: "t" });
    await logConversation(memory, [say("user", "Hi", "3")], { at, threadId: "other" });
    await learnFrom(memory, [[]], {});
    messages.push(say("assistant", "Oslo?", "4"), say("user", "Yes", "5"));
    await logConversation(memory, messages, { at, threadId: "t" });
    const { prompts } = await learnFrom(memory, [[]], {});
    expect(prompts[0]).toMatch(/\n\| ## 09:05\n\| Assistant: Oslo\?\n\| User: Yes$/);
  });

  it("reads neither its own notes nor paths outside `read`", async () => {
    const memory = newMemory();
    await memory.append("/inbox/a.md", "a note");
    await memory.append("/private/a.md", "a secret");
    const options = { read: ["/inbox/**"], write: ["/profile/**"] };
    const { prompts } = await learnFrom(memory, [[change("write", "/profile/a.md", { text: "learnt" })]], options);
    expect(prompts[0]).not.toContain("a secret");
    for (const { id } of await waiting(memory)) await memory.proposals?.approve(id, { by });
    expect((await learnFrom(memory, [], { ...options, read: ["/inbox/**", "/profile/**"] })).isUpToDate).toBe(true);
  });

  it("leaves what does not fit to the next run", async () => {
    const memory = newMemory();
    for (const index of [1, 2, 3, 4, 5]) await memory.append("/inbox/a.md", `note ${index}`.padEnd(26, "x"));
    const options = { limits: { inputChars: 4 * 26 } };
    const readNew = async (): Promise<string | undefined> =>
      (await learnFrom(memory, [[]], options)).prompts[0]?.split("New texts:")[1];
    expect(await readNew()).toMatch(/note 1[^]*note 4x*$/);
    expect(await readNew()).toMatch(/^\ns1, .*\n\| note 5x*$/);
    expect((await learnFrom(memory, [], options)).isUpToDate).toBe(true);
  });

  it("drops what rests on a version that was redacted while the model worked", async () => {
    const memory = newMemory();
    await memory.write("/inbox/a.md", "a secret");
    const answer = async (): Promise<object> => {
      await memory.write("/inbox/a.md", "nothing");
      await memory.history?.redact({ path: "/inbox/a.md" });
      return { operations: [change("write", "/profile/a.md", { text: "x" })] };
    };
    const { dropped } = await learnFrom(memory, [answer], {});
    expect(dropped).toMatchObject([{ why: "a text that it rests on is redacted" }]);
  });

  it("rejects a waiting proposal when a version that it rests on is redacted", async () => {
    const memory = newMemory();
    await memory.write("/inbox/a.md", "a secret");
    const { proposals } = await learnFrom(memory, [[change("write", "/profile/a.md", { text: "derived" })]], {});
    await memory.write("/inbox/a.md", "nothing");
    await memory.history?.redact({ path: "/inbox/a.md" });
    expect(await memory.proposals?.get(proposals[0] ?? "")).toMatchObject({ status: "rejected", content: null });
  });

  it("trusts a change as little as the least of its sources", async () => {
    const memory = newMemory();
    await memory.with({ actor: { userId: "ada", client: "our app" } }).append("/inbox/a.md", "by a person");
    await memory.with({ actor: { toolCallId: "1" } }).append("/inbox/b.md", "by an agent");
    const operations = [
      change("write", "/profile/a.md", { text: "one" }),
      change("write", "/profile/b.md", { text: "two", sources: ["s1", "s2"] }),
    ];
    await learnFrom(memory, [operations], {});
    expect((await waiting(memory)).map(({ origin }) => origin?.trust)).toEqual(["person", "agent"]);
  });

  it("needs a history", async () => {
    const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: randomUUID() });
    await expect(learnFrom(memory, [[]], {})).rejects.toThrow("keeps no history");
  });
});
