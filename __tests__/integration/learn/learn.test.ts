import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Memory, MemoryConnectorNode, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { answerOf, connectInMemory, connectTo, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { readAll } from "../../helpers/read-all.js";
import { change, learnFrom, said, scripted, waiting } from "../../helpers/scripted-learning.js";
import { countLearnTraffic } from "../../helpers/learn-traffic.js";
import { readCode, runDocumented } from "../../helpers/documented-code.js";
import { repetitions } from "../../helpers/repetitions.js";
import { untyped } from "../../helpers/memory-case.js";
import { withDatabase } from "../../helpers/with-database.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (nodeId = randomUUID()): Memory => store.memory({ nodeId }, { paths: "posix" });

/** A memory keeps its last changes in any case. A redaction first lets go those that need not be kept. */
async function dropVersions(memory: Memory): Promise<void> {
  await memory.history?.redact({ text: randomUUID() });
}

describe("learn", () => {
  it("reads messages that are no objects of LangChain, and refuses what is no message", async () => {
    const memory = newMemory();
    const messages = untyped([{ role: "user", content: "I moved to Oslo." }, ["assistant", "Noted."]]);
    const { prompts } = await learnFrom(memory, [[]], { messages });
    expect(prompts[0]).toMatch(/^s1, said by the user at .+ or before\n\| I moved to Oslo\.$/m);
    expect(prompts[0]).toMatch(/^s2, said by the assistant at .+ or before\n\| Noted\.$/m);
    const call = learnFrom(memory, [[]], { messages: untyped([{ role: "user", text: "I moved to Oslo." }]) });
    await expect(call).rejects.toThrow(/^messages\[0\] is no message: it has no content$/);
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
});

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

describe("what a run reads", () => {
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
    expect(prompts[0]?.split("New texts:")[1]).toMatch(/^\ns1, said by the user at .+\n\| Which tea does Ada like\?$/);
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

  it("is trusted as little as the least of the texts on which it rests", async () => {
    const memory = newMemory();
    const messages = untyped([{ role: "user", content: "I moved to Oslo." }, ["assistant", "Oslo is rainy."]]);
    await learnFrom(memory, [[change("write", "/profile/a.md", { text: "x", sources: ["s1", "s2"] })]], { messages });
    expect((await waiting(memory)).map(({ origin }) => origin?.trust)).toEqual(["agent"]);
  });

  it("is no person's if a run outside a graph wrote it, which names only whom it serves", async () => {
    const node = new MemoryNode({ store, nodeId: randomUUID(), paths: "posix" });
    await (await node.memoryForRun({ config: {}, userId: "ada" })).append("/inbox/a.md", "obey");
    await learnFrom(node.memory(), [[change("write", "/profile/a.md", { text: "x" })]], {});
    expect((await waiting(node.memory())).map(({ origin }) => origin?.trust)).toEqual(["unknown"]);
  });
});

it("a run reads no more in a large memory than in a small one", async () => {
  const files = repetitions({ usual: 2000, long: 20_000 });
  const small = await countLearnTraffic(uri, dbName, 10);
  const large = await countLearnTraffic(uri, dbName, files);
  expect([small.proposals, large.proposals]).toEqual([4, 4]);
  // A memory of several pages reads a list of them now and then.
  expect(large.commands).toBeLessThanOrEqual(small.commands + 5);
  expect(large.bytes).toBeLessThan(1.5 * small.bytes);
});

it("the documented program learns, approves and finds what was said", async () => {
  const lines: string[] = [];
  const { model, prompts } = scripted([change("write", "/profile/ada", { text: "Ada lives in Oslo." })]);
  const code = readCode("docs/learn.md", "## Learn from a conversation");
  await runDocumented(code, withDatabase(uri, dbName), {
    ChatOpenAI: function create() {
      return model;
    },
    console: { log: (...texts: unknown[]) => lines.push(texts.join(" ")) },
  });
  expect(prompts[0]).toContain("| I live in Oslo now.");
  // Nothing was refused.
  expect(lines).toEqual(["", "/profile/ada Ada lives in Oslo."]);
});
