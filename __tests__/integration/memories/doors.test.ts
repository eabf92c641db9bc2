import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { proposeChange } from "../../../src/core/propose-change.js";
import { createAiMemory } from "../../../src/ai-sdk/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import {
  logConversation,
  type Memory,
  MemoryNode,
  type MemoryProposals,
  mergeMemories,
  MongoMemoryStore,
} from "../../../src/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { moveIn } from "../../../src/move-in/index.js";
import { createMemoryPage, type MemoryPage } from "../../../src/page/index.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { pageToken, tellPage } from "../../helpers/page-client.js";
import { change, learnFrom, said } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const by = { userId: "ada" };

interface Place {
  node: MemoryNode;
  /** The same memory without rules and guard. */
  free: Memory;
  page: MemoryPage;
  address: { nodeId: string; scope: "global" };
}

function openPlace(): Place {
  const nodeId = randomUUID();
  const node = new MemoryNode({
    store,
    nodeId,
    paths: "posix",
    rules: [{ path: "/profile/fixed/**", access: "read" }],
    guard: ({ content }) => {
      if (content.includes("forbidden")) throw new Error("not here");
      return content.replaceAll("secret", "[covered]");
    },
  });
  const page = createMemoryPage({ store, nodes: [node], token: pageToken, access: "write" });
  return { node, free: store.memory({ nodeId }, { paths: "posix" }), page, address: { nodeId, scope: "global" } };
}

type Door = (place: Place, path: string, text: string) => Promise<unknown>;

function proposalsOf({ proposals }: Memory): MemoryProposals {
  if (proposals === null) throw new Error("no proposals");
  return proposals;
}

/** Proposes without rules and guard, as a program without the node does. @returns the id */
async function proposeFreely({ free }: Place, path: string, text: string): Promise<string> {
  const proposal = { id: randomUUID(), actor: { client: "learn" } };
  return (await proposeChange(free, proposal, (memory) => memory.write(path, text))) ?? "";
}

/** Writes a text without rules and guard, then another one. @returns the version of the first */
async function replaceFreely({ free }: Place, path: string, text: string): Promise<string> {
  await free.write(path, text);
  await free.write(path, "later");
  for await (const { id, operation } of free.history?.list({ path }) ?? []) if (operation === "created") return id;
  throw new Error("no version");
}

const tell = async ({ page, address }: Place, route: string, body: object): Promise<unknown> =>
  tellPage(page, `/api/${route}`, { address, by: "ada", ...body });

/** A memory with one file, to be merged. */
async function createOther(path: string, text: string): Promise<Memory> {
  const other = store.memory({ nodeId: randomUUID() }, { paths: "posix" });
  await other.write(path, text);
  return other;
}

/** Every way of a program or a model into the memory. Rules and guard apply. */
const doors: Record<string, Door> = {
  "the verb append": ({ node }, path, text) => node.memory().append(path, text),
  "the verb write": ({ node }, path, text) => node.memory().write(path, text),
  "the verb update": async ({ node, free }, path, text) => {
    await free.write(path, "old");
    await node.memory().update(path, "old", text);
  },
  "the verb edit": async ({ node, free }, path, text) => {
    await free.write(path, "old");
    await node.memory().edit(path, () => text);
  },
  "the unified tool": async ({ node }, path, text) =>
    node.memoryTools[0]?.invoke({ command: "append", path, content: text }),
  "the AI SDK": async ({ node }, path, text) =>
    createAiMemory({ memory: node }).tools["memory"]?.execute({ command: "append", path, content: text }, {
      toolCallId: "call",
      messages: [],
    } as never),
  deepagents: ({ node }, path, text) => new DeepAgentsBackend(node).write(path, text),
  "deepagents, uploaded": ({ node }, path, text) =>
    new DeepAgentsBackend(node).uploadFiles([[path, new TextEncoder().encode(text)]]),
  MCP: async ({ node }, path, text) =>
    answerOf(await connectInMemory(createMcpServer({ memory: node })), { command: "append", path, content: text }),
  "an approval": async (place, path, text) => {
    const id = await proposeFreely(place, path, text);
    await proposalsOf(place.node.memory()).approve(id, { by });
  },
  "an approval with edits": async (place, path, text) => {
    const id = await proposeFreely(place, path, "harmless");
    await proposalsOf(place.node.memory()).approve(id, { by, content: text });
  },
  "a revert of a file": async (place, path, text) => {
    const to = await replaceFreely(place, path, text);
    await place.node.memory().history?.revert({ path, to });
  },
  "a revert of a deleted directory": async ({ node, free }, path, text) => {
    await free.write(path, text);
    const { value } = (await free.history?.list()[Symbol.asyncIterator]().next()) ?? {};
    await free.delete("/profile");
    await node.memory().history?.revert({ path: "/profile", to: String(value?.id) });
  },
  "the undoing of a run": async ({ node, free }, path, text) => {
    await free.write(path, text);
    await free.with({ actor: { runId: "run" } }).write(path, "later");
    await node.memory().history?.revert({ runId: "run" });
  },
  moveIn: ({ node }, path, text) => moveIn(node.memory(), [{ path, content: text }]),
  "moveIn, an item of a list": ({ node }, path, text) => moveIn(node.memory(), [{ path, content: text, id: "1" }]),
  "mergeMemories, a new file": async ({ node }, path, text) =>
    mergeMemories(await createOther(path, text), node.memory()),
  "mergeMemories, beside another file": async ({ node, free }, path, text) => {
    await free.write(path, "other");
    await mergeMemories(await createOther(path, text), node.memory());
  },
  learn: ({ node }, path, text) =>
    learnFrom(node, [[change("write", path, { text })], []], { messages: said("x"), apply: "append-only" }),
};

/** The ways of the package itself and of people: the guard applies, and no rules. */
const unruledDoors: Record<string, Door> = {
  "the log": ({ node }, _path, text) => logConversation(node.memory(), [{ role: "user", content: text }]),
  "the page": (place, path, text) => tell(place, "write", { path, content: text, digest: null }),
  "an approval on the page": async (place, path, text) =>
    tell(place, "approve", { id: await proposeFreely(place, path, text) }),
  "an approval with edits on the page": async (place, path, text) =>
    tell(place, "approve", { id: await proposeFreely(place, path, "harmless"), content: text }),
  "an approval of many on the page": async (place, path, text) =>
    tell(place, "decide", { ids: [await proposeFreely(place, path, text)], decision: "approve" }),
  "a revert on the page": async (place, path, text) =>
    tell(place, "revert", { what: { path, to: await replaceFreely(place, path, text) } }),
};

/** Every stored text. */
async function readTexts({ free }: Place): Promise<string> {
  const { files } = await free.snapshot();
  return files.map(({ content }) => content).join("\n");
}

const all = Object.entries({ ...doors, ...unruledDoors });

describe("every door to a change", () => {
  it.each(all)("passes the guard, which covers a text: %s", async (_name, enter) => {
    const place = openPlace();
    await enter(place, "/profile/a.md", "my secret");
    const texts = await readTexts(place);
    expect(texts).toContain("my [covered]");
    expect(texts).not.toContain("secret");
  });

  it.each(all)("passes the guard, which refuses a text: %s", async (_name, enter) => {
    const place = openPlace();
    await Promise.resolve(enter(place, "/profile/a.md", "forbidden")).catch(() => undefined);
    expect(await readTexts(place)).not.toContain("forbidden");
  });

  it.each(Object.entries(doors))("passes the rules: %s", async (_name, enter) => {
    const place = openPlace();
    await Promise.resolve(enter(place, "/profile/fixed/a.md", "a text")).catch(() => undefined);
    expect(await readTexts(place)).not.toContain("a text");
  });

  it.each(["delete", "rename"] as const)("passes the rules below a directory: an approved %s", async (command) => {
    const { node, free } = openPlace();
    await free.write("/profile/fixed/a.md", "a text");
    const proposal = { id: randomUUID(), actor: { client: "learn" } };
    const make = (memory: Memory): Promise<unknown> =>
      command === "delete" ? memory.delete("/profile") : memory.rename("/profile", "/moved");
    const id = await proposeChange(free, proposal, make);
    const approved = proposalsOf(node.memory()).approve(id ?? "", { by });
    await expect(approved).rejects.toThrow('/profile/fixed is read-only here (access "read")');
    expect(await free.read("/profile/fixed/a.md")).toBe("a text");
  });

  it("keeps nothing of a text that the guard covers when a person approves it", async () => {
    const place = openPlace();
    const id = await proposeFreely(place, "/profile/a.md", "my secret");
    const approved = await proposalsOf(place.node.memory()).approve(id, { by });
    expect(approved).toMatchObject({ content: "my [covered]", diff: expect.stringContaining("[covered]") });
    expect(JSON.stringify(await proposalsOf(place.free).get(id))).not.toContain("secret");
    const versions = place.free.history?.list() ?? [];
    for await (const { actor } of versions) expect(actor).toEqual({ client: "learn" });
  });
});
