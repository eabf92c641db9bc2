import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { StoreBackend } from "deepagents";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInOptions } from "../../../src/move-in/index.js";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "move-in-"));
});

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "n" });

async function treeOf(memory: Memory): Promise<Record<string, string>> {
  return Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
}

async function fileOf(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, text);
  return file;
}

/** Moves a source into an empty memory twice, and returns the tree. The second time must change nothing. */
async function moved(options: MoveInOptions): Promise<{ tree: Record<string, string>; losses: unknown[] }> {
  const memory = newMemory();
  const report = await moveIn(memory, options);
  const tree = await treeOf(memory);
  const again = await moveIn(memory, options);
  expect({ ...again, runId: "" }).toMatchObject({
    written: 0,
    proposed: 0,
    logged: 0,
    unchanged: report.written + report.logged,
  });
  expect(await treeOf(memory)).toEqual(tree);
  return { tree, losses: report.losses };
}

describe("moving in the items of a store", () => {
  it("puts the text of an item into a file, by its namespace and key", async () => {
    const store = new InMemoryStore();
    await store.put(["memories", "ada"], "seat", { kind: "Memory", content: { content: "Likes the window." } });
    await store.put(["memories", "ada"], "tea.txt", { text: "Green." });
    const { tree } = await moved({ from: "store", source: store, into: "/old", namespace: ["memories"] });
    expect(Object.keys(tree)).toEqual(["/old/ada/seat.md", "/old/ada/tea.txt"]);
    expect(tree["/old/ada/tea.txt"]).toMatch(
      /^---\nsources: \["store:\[\\"memories\\",\\"ada\\",\\"tea.txt\\"\]"\]\ncreated: .*Z\n(updated: .*\n)?---\nGreen\.$/,
    );
    expect(tree["/old/ada/seat.md"]).toMatch(/---\nLikes the window\.$/);
  });

  it("writes a line for each field of a value with several", async () => {
    const store = new InMemoryStore();
    await store.put(["facts"], "ada", { name: "Ada", likes: ["tea"] });
    const { tree } = await moved({ from: "store", source: store });
    expect(tree["/facts/ada.md"]).toMatch(/---\nname: Ada\nlikes: \["tea"\]$/);
  });

  it("leaves out memories of this package, and says so", async () => {
    const store = new InMemoryStore();
    await openMemory(store, { nodeId: "other" }).write("/secret", "x");
    const { tree, losses } = await moved({ from: "store", source: store });
    expect(tree).toEqual({});
    expect(losses).toHaveLength(1);
  });

  it("lets the program change entries and leave them out", async () => {
    const store = new InMemoryStore();
    await store.put(["a"], "1", { text: "one" });
    await store.put(["a"], "2", { text: "two" });
    const change: MoveInOptions["change"] = (entry) =>
      entry.content === "two" ? null : { ...entry, path: "/one", sources: [] };
    const { tree, losses } = await moved({ from: "store", source: store, change });
    expect(tree).toEqual({ "/one": "one" });
    expect(losses).toEqual([{ what: '["a","2"]', path: null, result: "skipped", why: "the program left it out" }]);
  });

  it("needs a namespace for a memory of one user", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n", scope: "perUser", userId: "ada" });
    await expect(moveIn(memory, { from: "store", source: new InMemoryStore() })).rejects.toThrow(/namespace is needed/);
  });
});

describe("moving in deepagents' files", () => {
  it.each(["v1", "v2"] as const)("takes what its StoreBackend wrote in %s", async (fileFormat) => {
    const store = new InMemoryStore();
    const backend = new StoreBackend({ store, namespace: ["files"], fileFormat });
    await backend.write("/notes/today.md", "one\ntwo\n");
    const { tree } = await moved({ from: "deepagents", source: store, namespace: ["files"] });
    expect(tree).toEqual({ "/notes/today.md": "one\ntwo\n" });
  });
});

describe("moving in mem0's memories", () => {
  const memories = [
    {
      id: "a1",
      memory: "Likes window seats",
      user_id: "ada",
      created_at: "2025-03-04T10:00:00-08:00",
      updated_at: null,
    },
    {
      id: "b2",
      memory: "Likes tea",
      user_id: "bob",
      created_at: "2025-04-04T10:00:00Z",
      updated_at: "2025-05-04T10:00:00Z",
    },
  ];

  it.each([
    ["a list", JSON.stringify(memories)],
    ["the answer of get_all", JSON.stringify({ results: memories }, null, 2)],
    ["JSONL", memories.map((each) => JSON.stringify(each)).join("\n")],
  ])("takes %s of one person, with time and source", async (name, text) => {
    const source = await fileOf(`mem0-${name}.json`, text);
    const { tree, losses } = await moved({ from: "mem0", source, fromUser: "ada" });
    const [[path, content] = []] = Object.entries(tree);
    expect(path).toMatch(/^\/2025-03\/likes-window-seats-[0-9a-f]{8}\.md$/);
    expect(content).toBe('---\nsources: ["mem0:a1"]\ncreated: 2025-03-04T18:00:00.000Z\n---\nLikes window seats');
    expect(losses).toEqual([{ what: "mem0:b2", path: null, result: "skipped", why: "it belongs to another user" }]);
  });
});

describe("moving in the graph of the MCP reference server", () => {
  const lines = [
    { type: "relation", from: "Ada", to: "Acme", relationType: "works_at" },
    { type: "entity", name: "Ada", entityType: "person", observations: ["Likes tea", "Speaks\nGerman"] },
    { type: "entity", name: "Acme", entityType: "company", observations: [] },
    { type: "relation", from: "Nobody", to: "Acme", relationType: "knows" },
  ];

  it("makes a file of each entity, with its relations", async () => {
    const source = await fileOf("memory.jsonl", lines.map((each) => JSON.stringify(each)).join("\n"));
    const { tree, losses } = await moved({ from: "server-memory", source });
    expect(tree).toEqual({
      "/company/Acme.md": '---\nsources: ["server-memory:Acme"]\n---\n# Acme\n\n',
      "/person/Ada.md":
        '---\nsources: ["server-memory:Ada"]\n---\n# Ada\n\n- Likes tea\n- Speaks German\n- works_at Acme\n',
    });
    expect(losses).toMatchObject([{ what: "relation: Nobody knows Acme", why: "there is no entity of this name" }]);
  });
});
