import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { StoreBackend } from "deepagents";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInOptions, readEntries } from "../../../src/move-in/index.js";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "move-in-"));
});

afterAll(() => rm(dir, { recursive: true }));

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "n" });

async function treeOf(memory: Memory): Promise<Record<string, string>> {
  return Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
}

const skipped = (what: string, why: string): object => ({ what, result: "skipped", why });

async function fileOf(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, text);
  return file;
}

type Moved = Parameters<typeof readEntries>[0] & MoveInOptions;

/** Moves a source into an empty memory twice, and returns the tree. The second time must change nothing. */
async function moved({
  from,
  source,
  namespace,
  ...options
}: Moved): Promise<{ tree: Record<string, string>; losses: unknown[] }> {
  const memory = newMemory();
  const read = () => readEntries({ from, source, ...(namespace && { namespace }) });
  const report = await moveIn(memory, read(), options);
  const tree = await treeOf(memory);
  const again = await moveIn(memory, read(), options);
  expect(again).toMatchObject({ written: 0, unchanged: report.written });
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
      /^---\nsources: \[\{"resource":"store:\[\\"memories\\",\\"ada\\",\\"tea.txt\\"\]"\}\]\ncreated: .*Z\n(updated: .*\n)?---\nGreen\.$/,
    );
    expect(tree["/old/ada/seat.md"]).toMatch(/---\nLikes the window\.$/);
  });

  it("puts the texts with random keys of a namespace and a month into one file, without front matter", async () => {
    const store = new InMemoryStore();
    for (const text of ["Likes tea.", "Lives in Graz.\nSince May."])
      await store.put(["memories", "ada"], randomUUID(), { kind: "Memory", content: { content: text } });
    await store.put(["memories"], randomUUID(), { text: "Closed on Monday." });
    await store.put(["memories"], randomUUID(), { name: "Ada", likes: "tea" });
    const { tree } = await moved({ from: "store", source: store, namespace: ["memories"] });
    const month = new Date().toISOString().slice(0, 7);
    const { [`/ada/${month}.md`]: ofAda = "", [`/store/${month}.md`]: others = "", ...whole } = tree;
    const item = (text: string): unknown =>
      expect.stringMatching(new RegExp(`^- ${month}-\\d\\d: ${text} \\^\\w{12}$`));
    expect(
      ofAda
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "  Since May.")
        .toSorted(),
    ).toEqual([item("Likes tea\\."), item("Lives in Graz\\.")]);
    expect(others.trimEnd()).toEqual(item("Closed on Monday\\."));
    expect(Object.values(whole)).toEqual([expect.stringMatching(/---\nname: Ada\nlikes: tea$/)]);
  });

  it("writes a line for each field of a value with several, also inside its content", async () => {
    const store = new InMemoryStore();
    await store.put(["facts"], "ada", { name: "Ada", likes: ["tea"] });
    await store.put(["facts"], "tea", { kind: "Memory", content: { content: "Likes tea", context: "at work" } });
    const { tree } = await moved({ from: "store", source: store });
    expect(tree["/facts/ada.md"]).toMatch(/---\nname: Ada\nlikes: \["tea"\]$/);
    expect(tree["/facts/tea.md"]).toMatch(/\nkind: Memory\ncontent: \{"content":"Likes tea","context":"at work"\}$/);
  });

  it("leaves out memories of this package, and says so", async () => {
    const store = new InMemoryStore();
    await openMemory(store, { nodeId: "other" }).write("/secret", "x");
    const { tree, losses } = await moved({ from: "store", source: store });
    expect(tree).toEqual({});
    expect(losses).toHaveLength(1);
  });

  it("gives a memory of one user nothing of a store whose namespace nobody named", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n", scope: "perUser", userId: "ada" });
    const store = new InMemoryStore();
    await store.put(["notes", "bob"], "1", { text: "of Bob" });
    for (const from of ["store", "deepagents"] as const) {
      const { written, losses } = await moveIn(memory, readEntries({ from, source: store }));
      expect([written, losses.length]).toEqual([0, 1]);
    }
    expect(await treeOf(memory)).toEqual({});
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
    expect(tree).toEqual({
      "/mem0/2025-03.md": expect.stringMatching(/^- 2025-03-04: Likes window seats \^[0-9a-f]{12}\n$/),
    });
    expect(losses).toEqual([skipped("mem0:b2", "it belongs to another user")]);
  });

  it("puts those of a month into one file, which a person may edit before the next run", async () => {
    const list = ["tea\u2028", "two\nlines ^0123456789ab\n- of it", "cof\u2028fee"].map((memory, index) => ({
      id: `${index}`,
      memory,
      created_at: `2025-03-0${index + 1}T10:00:00Z`,
      actor_id: index === 0 ? "helper" : undefined,
    }));
    const source = await fileOf("mem0-month.json", JSON.stringify(list));
    const memory = newMemory();
    const read = () => readEntries({ from: "mem0", source });
    await moveIn(memory, read());
    expect((await memory.read("/mem0/2025-03.md")).replaceAll(/ \^[0-9a-f]{12}$/gm, "")).toBe(
      "- 2025-03-01: tea (helper)\n- 2025-03-02: two\n  lines\n  - of it\n- 2025-03-03: cof\u2028fee\n",
    );
    await memory.edit("/mem0/2025-03.md", (text) => text.replace("cof\u2028fee", "cocoa\u2028"));
    expect(await moveIn(memory, read())).toMatchObject({ written: 0, unchanged: 3 });
    expect(await memory.read("/mem0/2025-03.md")).toContain("cocoa");
  });

  it("goes on in another file when one is full, and leaves out a text that is too long for any", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" }, { maxFileBytes: 100 });
    const entries = ["a".repeat(50), "b".repeat(50), "c".repeat(101)].map((content, index) => ({
      path: "/facts.md",
      id: `${index}`,
      content,
    }));
    expect(await moveIn(memory, entries)).toMatchObject({ written: 2, skipped: 1 });
    expect(Object.keys(await treeOf(memory))).toEqual(["/facts-2.md", "/facts.md"]);
    expect(await moveIn(memory, entries)).toMatchObject({ written: 0, unchanged: 2, skipped: 1 });
  });

  it("says that it leaves out the relations of a graph, and that other pages are missing", async () => {
    const answer = {
      results: [],
      relations: [{ source: "ada", relationship: "likes", target: "tea" }],
      next: "/?page=2",
    };
    const source = await fileOf("mem0-graph.json", JSON.stringify(answer));
    expect((await moved({ from: "mem0", source })).losses).toEqual([
      skipped("1 relations", "relations of a graph are no memories"),
      skipped("the next page", "the answer has only the memories of one page"),
    ]);
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
      "/company/Acme.md": '---\nsources: [{"resource":"server-memory:Acme"}]\n---\n# Acme\n\n',
      "/person/Ada.md":
        '---\nsources: [{"resource":"server-memory:Ada"}]\n---\n# Ada\n\n- Likes tea\n- Speaks German\n- works_at Acme\n',
    });
    expect(losses).toMatchObject([{ what: "relation: Nobody knows Acme", why: "there is no entity of this name" }]);
  });

  it("loses one line of a torn file, and one observation that is null", async () => {
    const ada = { type: "entity", name: "Ada", entityType: "", observations: ["Likes tea", null] };
    const source = await fileOf("torn.jsonl", `:"person","observations":[]}\n${JSON.stringify(ada)}\n`);
    const { tree, losses } = await moved({ from: "server-memory", source });
    expect(tree["/Ada.md"]).toContain("- Likes tea\n");
    expect(losses).toEqual([
      skipped("record 1", "it is not JSON"),
      { what: "entity Ada", result: "written", why: "left out: 1 observations that are no text" },
    ]);
  });

  it.each(["read_graph", "memory.jsonl"])("says that it leaves out incomplete relations: %s", async (form) => {
    const entity = { type: "entity", name: "Ada", entityType: "person", observations: [] };
    const relation = { type: "relation", from: "Ada", to: "Acme" };
    const graph = { entities: [entity], relations: [relation] };
    const text =
      form === "read_graph" ? JSON.stringify(graph) : [entity, relation].map((each) => JSON.stringify(each)).join("\n");
    const { tree, losses } = await moved({ from: "server-memory", source: await fileOf("incomplete.json", text) });
    expect(Object.values(tree)).toEqual(['---\nsources: [{"resource":"server-memory:Ada"}]\n---\n# Ada\n\n']);
    expect(losses).toMatchObject([{ why: "it is not a complete relation" }]);
  });
});

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/move-in/${name}`, import.meta.url));

/** The other programs have written these files: `get_all` of mem0ai 2.2.1, and server-memory 2026.8.31. */
describe("moving in what another program wrote itself", () => {
  it("takes the memories that mem0 adds, and says which fields it leaves out", async () => {
    const { tree, losses } = await moved({ from: "mem0", source: fixture("mem0-get-all.jsonl"), fromUser: "ada" });
    expect(tree).toEqual({
      "/mem0/2026-11.md": expect.stringMatching(/^- 2026-11-26: Likes window seats \(helper\) \^[0-9a-f]{12}\n$/),
    });
    expect(losses).toMatchObject([
      {
        what: expect.stringMatching(/^mem0:/),
        result: "skipped",
        why: expect.stringMatching(/^it belongs to another user/),
      },
      { result: "written", why: "left out: topic" },
    ]);
  });

  it.each(["server-memory.jsonl", "server-memory-read-graph.json"])("takes %s", async (name) => {
    const source = fixture(name);
    const { tree, losses } = await moved({ from: "server-memory", source });
    expect(Object.values(tree).map((text) => text.replace(/^---[^]*?---\n/, ""))).toEqual([
      "# a/b: c?\n\n- odd name\n",
      "# Acme\n\n",
      "# Ada\n\n- Likes tea\n- Speaks German\n- Lives in Graz\n- works_at Acme\n",
    ]);
    expect(losses).toMatchObject([
      { what: "relation: Nobody knows Acme" },
      { what: "entity a/b: c?", result: "written", why: "its name was changed to one that a path can have" },
    ]);
  });
});
