import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Memory, MemoryConnectorNode, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { learn } from "../../../src/learn/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { answerOf, connectInMemory, connectTo, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { readAll } from "../../helpers/read-all.js";
import { by, change, learnFrom, said, scripted, texts, waiting } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (nodeId = randomUUID()): Memory => store.memory({ nodeId }, { paths: "posix" });

async function decideAll(memory: Memory, decision: "approve" | "reject"): Promise<void> {
  for (const { id } of await waiting(memory)) await memory.proposals?.[decision](id, { by });
}

/** A memory keeps its last changes in any case. A redaction first lets go those that need not be kept. */
async function dropVersions(memory: Memory): Promise<void> {
  await memory.history?.redact({ text: randomUUID() });
}

const milk = change("edit", "/profile/a.md", { oldText: "Likes tea.", text: "Likes milk." });

it("the ids of a run and of its proposals do not let anybody guess a text", async () => {
  const { name: otherName } = testDatabase("standalone");
  const other = new MongoMemoryStore({ client, dbName: otherName, history: true });
  const pin = change("write", "/profile/pin.md", { text: "4711" });
  const nodeId = randomUUID();
  const learntIds = async (memory: Memory): Promise<(string | null)[]> => {
    const { runId, proposals } = await learnFrom(memory, [[pin]], { messages: said("4711") });
    return [runId, ...proposals];
  };
  const ids = await learntIds(newMemory(nodeId));
  // Everything that the ids are made of is the same there, but for a random text.
  const others = await learntIds(other.memory({ nodeId }, { paths: "posix" }));
  expect(ids.filter((id) => others.includes(id))).toEqual([]);
});

describe("what a person has decided", () => {
  it("is not proposed again after other lines of the file have changed", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    await learnFrom(memory, [[milk]], { messages: said("x") });
    await decideAll(memory, "reject");
    await memory.append("/profile/a.md", "Lives in Oslo.");
    const { dropped, proposals } = await learnFrom(memory, [[milk], [milk]], { messages: said("y") });
    expect(dropped).toMatchObject([{ why: "a person has rejected this change" }]);
    expect(proposals).toEqual([]);
  });

  it("is not proposed again where a guard has changed the text", async () => {
    const nodeId = randomUUID();
    const guard = ({ content }: { content: string }): string => content.replace("4711", "[secret]");
    const memory = new MemoryNode({ store, nodeId, paths: "posix", guard });
    const code = change("write", "/profile/code.md", { text: "The code is 4711." });
    await learn({ memory, model: scripted([code]).model, messages: said("x") });
    await decideAll(newMemory(nodeId), "reject");
    const { dropped } = await learn({ memory, model: scripted([code], [code]).model, messages: said("y") });
    expect(dropped).toMatchObject([{ why: "a person has rejected this change" }]);
  });

  it.each<[string, object]>([
    ["an addition", change("append", "/profile/a.md", { text: "Rides." })],
    ["a new file", change("write", "/profile/b.md", { text: "new" })],
    ["a move", change("rename", "/profile/a.md", { to: "/profile/c.md" })],
    ["an archived file", change("archive", "/profile/a.md")],
  ])("is not proposed again: %s, also not at once with append-only", async (_name, operation) => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    await learnFrom(memory, [[operation]], { messages: said("x") });
    await decideAll(memory, "reject");
    for (const apply of ["propose", "append-only"] as const) {
      const answers = [[operation], [operation]];
      const { dropped, applied } = await learnFrom(memory, answers, { messages: said(apply), apply });
      expect([dropped.length, applied]).toEqual([1, []]);
    }
    expect(await texts(memory)).toEqual({ "/profile/a.md": "Likes tea.\n" });
  });

  it("may be proposed again after it was approved and undone", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    const { runId } = await learnFrom(memory, [[milk]], { messages: said("x") });
    await decideAll(memory, "approve");
    await memory.history?.revert({ runId: runId ?? "" });
    const { proposals } = await learnFrom(memory, [[milk]], { messages: said("y") });
    expect((await waiting(memory)).map(({ id }) => id)).toEqual(proposals);
  });

  it("may be added again after a person deleted it, with append-only", async () => {
    const memory = newMemory();
    const operation = change("write", "/profile/b.md", { text: "new" });
    for (const text of ["x", "y"]) {
      await learnFrom(memory, [[operation]], { messages: said(text), apply: "append-only" });
      expect(await memory.read("/profile/b.md")).toBe("new");
      await memory.delete("/profile/b.md");
    }
  });

  it("is not made if the file has changed since", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    const { proposals } = await learnFrom(memory, [[milk]], { messages: said("x") });
    await memory.write("/profile/a.md", "Likes tea.\nA person wrote this.\n");
    await expect(memory.proposals?.approve(proposals[0] ?? "", { by })).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(await memory.read("/profile/a.md")).toBe("Likes tea.\nA person wrote this.\n");
  });

  it("can be edited, and the words of the person are no input of the next run", async () => {
    const memory = newMemory();
    await memory.write("/inbox/a.md", "I like milk now.");
    await learnFrom(memory, [[change("write", "/profile/a.md", { text: "Likes milk." })]], {});
    const [proposal] = await waiting(memory);
    await memory.proposals?.approve(proposal?.id ?? "", { by, content: "Likes oat milk." });
    expect(await memory.read("/profile/a.md")).toBe("Likes oat milk.");
    expect((await learnFrom(memory, [], {})).isUpToDate).toBe(true);
  });

  it("holds up no addition to the same file, with append-only", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    const operations = [milk, change("append", "/profile/a.md", { text: "Rides." })];
    const { applied } = await learnFrom(memory, [operations], { messages: said("x"), apply: "append-only" });
    expect(applied).toEqual(["/profile/a.md"]);
    expect(await memory.read("/profile/a.md")).toBe("Likes tea.\nRides.");
    await decideAll(memory, "approve");
    expect(await memory.read("/profile/a.md")).toBe("Likes milk.\nRides.");
  });

  it("comes before additions where a rule asks, with append-only", async () => {
    const nodeId = randomUUID();
    const rules = [{ path: "/profile/asked.md", access: "ask" } as const];
    const memory = new MemoryNode({ store, nodeId, paths: "posix", rules, onAsk: "propose" });
    const operations = [
      change("append", "/profile/asked.md", { text: "Rides." }),
      change("append", "/profile/free.md", { text: "Rides a lot." }),
    ];
    const { model } = scripted(operations);
    const { applied, proposals } = await learn({ memory, model, messages: said("x"), apply: "append-only" });
    expect([applied, proposals.length]).toEqual([["/profile/free.md"], 1]);
  });

  it("is asked once about a file that another operation moves", async () => {
    const memory = newMemory();
    await memory.write("/profile/a.md", "Likes tea.\n");
    const operations = [
      change("rename", "/profile/a.md", { to: "/profile/b.md" }),
      change("write", "/profile/b.md", { text: "new" }),
    ];
    const { dropped } = await learnFrom(memory, [operations, []], { messages: said("x") });
    expect(dropped).toEqual([]);
    expect((await waiting(memory)).map(({ command }) => command)).toEqual(["rename"]);
  });
});

describe("what a run reads", () => {
  it("moves on when there was nothing to do", async () => {
    const memory = newMemory();
    await memory.append("/inbox/a.md", "nothing new");
    expect(await learnFrom(memory, [[]], {})).toMatchObject({ proposals: [], isUpToDate: false });
    expect(await learnFrom(memory, [], {})).toMatchObject({ isUpToDate: true, prompts: [] });
  });

  it("begins again with what is kept, if its last version is no longer kept", async () => {
    const nodeId = randomUUID();
    const short = new MongoMemoryStore({ client, dbName, history: { keepVersions: 2 } });
    const memory = short.memory({ nodeId }, { paths: "posix" });
    await memory.append("/inbox/a.md", "note 1");
    await learnFrom(memory, [[]], {});
    for (const index of [2, 3, 4, 5]) await memory.append("/inbox/a.md", `note ${index}`);
    await dropVersions(memory);
    const kept = await readAll(memory.history?.list() ?? []);
    const { prompts } = await learnFrom(memory, [[]], {});
    const news = prompts[0]?.split("New texts:")[1] ?? "";
    expect(kept).toHaveLength(2);
    expect(news.match(/^\| note \d$/gm)).toContain("| note 5");
    expect((await learnFrom(memory, [], {})).isUpToDate).toBe(true);
  });

  it("drops what rests on a version that was no longer kept while the model worked", async () => {
    const short = new MongoMemoryStore({ client, dbName, history: { keepVersions: 1 } });
    const memory = short.memory({ nodeId: randomUUID() }, { paths: "posix" });
    await memory.append("/inbox/a.md", "a secret");
    const answer = async (): Promise<object> => {
      await memory.delete("/inbox/a.md");
      await dropVersions(memory);
      return { operations: [change("write", "/profile/a.md", { text: "derived" })] };
    };
    const { dropped } = await learnFrom(memory, [answer], {});
    expect(dropped).toMatchObject([{ why: "a text that it rests on is gone" }]);
    expect(await waiting(memory)).toEqual([]);
  });

  it.each(["full", "tree", "auto"] as const)("is no memory that a connector has shown by %s", async (content) => {
    const nodeId = randomUUID();
    const node = new MemoryNode({ store, nodeId, paths: "posix" });
    await newMemory(nodeId).write("/profile/tea.md", "Ada likes green tea.\n");
    const messages = await new MemoryConnectorNode({ memory: node, content }).inject([
      new HumanMessage("Which tea does Ada like?"),
    ]);
    expect(messages.map(({ text }) => text).join("\n")).toContain("tea.md");
    const { prompts } = await learnFrom(node, [[]], { messages });
    expect(prompts[0]?.split("New texts:")[1]).toBe("\ns1, said by the user\n| Which tea does Ada like?");
  });

  it.each([
    ["claude-code", "1.0", "agent"],
    ["langgraph-mongo-memory", "page", "agent"],
    ["langgraph-mongo-memory page", "", "agent"],
  ])("is trusted as an agent if a client of MCP wrote it, also as %j %j", async (name, version, trust) => {
    const nodeId = randomUUID();
    const server = createMcpServer({
      memory: new MemoryNode({ store, nodeId, scope: "global", paths: "posix" }),
      userId: "ada",
    });
    const mcp = await connectInMemory(server, { name, version });
    await mcp.callTool({ name: "memory", arguments: { command: "append", path: "/inbox/a.md", content: "obey" } });
    await learnFrom(newMemory(nodeId), [[change("write", "/profile/a.md", { text: "x" })]], {});
    expect((await waiting(newMemory(nodeId))).map(({ origin }) => origin?.trust)).toEqual([trust]);
  });

  it.each(revisions)("is no person's if a %s client of MCP over HTTP wrote it for a user", async (revision) => {
    const nodeId = randomUUID();
    const { url } = await serve({ memory: new MemoryNode({ store, nodeId, paths: "posix" }), userId: "ada" });
    const mcp = await connectTo(new StreamableHTTPClientTransport(new URL(url)), revision);
    expect(await answerOf(mcp, { command: "append", path: "/inbox/a.md", content: "obey" })).toContain('"ok":true');
    await mcp.close();
    await learnFrom(newMemory(nodeId), [[change("write", "/profile/a.md", { text: "x" })]], {});
    const [trust] = (await waiting(newMemory(nodeId))).map(({ origin }) => origin?.trust);
    expect(trust).toBe(revision === "modern" ? "agent" : "unknown");
  });

  it("is no person's if a run outside a graph wrote it, which names only whom it serves", async () => {
    const node = new MemoryNode({ store, nodeId: randomUUID(), paths: "posix" });
    await (await node.memoryForRun({ config: {}, userId: "ada" })).append("/inbox/a.md", "obey");
    await learnFrom(node.memory(), [[change("write", "/profile/a.md", { text: "x" })]], {});
    expect((await waiting(node.memory())).map(({ origin }) => origin?.trust)).toEqual(["unknown"]);
  });

  it("is trusted as a person who wrote on the page, by the command line, or by a program that names itself", async () => {
    const memory = newMemory();
    const operation = change("write", "/profile/a.md", { text: "x", sources: ["s1", "s2", "s3"] });
    for (const name of ["langgraph-mongo-memory page", "langgraph-mongo-memory", "our app"])
      await memory.with({ actor: { client: name, userId: "ada" } }).append("/inbox/a.md", `by ${name}`);
    await learnFrom(memory, [[operation]], {});
    expect((await waiting(memory)).map(({ origin }) => origin?.trust)).toEqual(["person"]);
  });

  it("is a memory without a history too, if it learns from messages", async () => {
    const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: randomUUID() }, { paths: "posix" });
    const operation = change("write", "/profile/a.md", { text: "x" });
    expect((await learnFrom(memory, [[operation]], { messages: said("x") })).proposals).toHaveLength(1);
  });
});
