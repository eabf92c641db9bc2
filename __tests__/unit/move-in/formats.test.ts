import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { StoreBackend } from "deepagents";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInOptions } from "../../../src/move-in/index.js";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "move-in-"));
});

afterAll(() => rm(dir, { recursive: true }));

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "n" });

async function treeOf(memory: Memory): Promise<Record<string, string>> {
  return Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
}

async function folderOf(name: string, files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = join(dir, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const skipped = (what: string, why: string): object => ({ what, path: null, result: "skipped", why });

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
      /^---\nsources: \[\{"resource":"store:\[\\"memories\\",\\"ada\\",\\"tea.txt\\"\]"\}\]\ncreated: .*Z\n(updated: .*\n)?---\nGreen\.$/,
    );
    expect(tree["/old/ada/seat.md"]).toMatch(/---\nLikes the window\.$/);
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
    await expect(moveIn(memory, { from: "store", source: new InMemoryStore() })).rejects.toThrow(
      /namespace: is required/,
    );
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
    expect(content).toBe(
      '---\nsources: [{"resource":"mem0:a1"}]\ncreated: 2025-03-04T18:00:00.000Z\n---\nLikes window seats',
    );
    expect(losses).toEqual([{ what: "mem0:b2", path: null, result: "skipped", why: "it belongs to another user" }]);
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
    expect(Object.entries(tree)).toEqual([
      [
        expect.stringMatching(/^\/2026-11\/likes-window-seats-[0-9a-f]{8}\.md$/),
        expect.stringMatching(/^---\nsources: .*\nauthor: "helper"\ncreated: 2026-11-26T.*\n---\nLikes window seats$/),
      ],
    ]);
    expect(losses).toMatchObject([
      {
        what: expect.stringMatching(/^mem0:/),
        result: "skipped",
        why: expect.stringMatching(/^it belongs to another user/),
      },
      { path: Object.keys(tree)[0], result: "written", why: "left out: topic" },
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

describe("moving in folders", () => {
  it("takes a folder of Claude's memory tool as it is, as the SDK writes it", async () => {
    const base = join(dir, "claude");
    const tool = await BetaLocalFilesystemMemoryTool.init(base);
    await tool.create({ command: "create", path: "/memories/a/prefs.txt", file_text: "tea\n" });
    await symlink("/etc/passwd", join(base, "memories", "link"));
    const { tree, losses } = await moved({ from: "claude-memory", source: join(base, "memories"), into: "/memories" });
    expect(tree).toEqual({ "/memories/a/prefs.txt": "tea\n" });
    expect(losses).toEqual([skipped("/link", "it is a link, which is not followed")]);
  });

  it("takes the notes of coding agents, and what they link to", async () => {
    const source = await folderOf("code", {
      "CLAUDE.md": "@docs/style.md, @~/.claude/own.md, @../x.md and [gone](gone.md). Mail ada@example.com.",
      "docs/style.md": "Tabs. [[more]]",
      "docs/more.md": "More.",
      "docs/other.md": "Not linked.",
      "src/AGENTS.md": "Agents.",
      "memory/MEMORY.md": "- [Topic](topic.md)",
      "memory/topic.md": "Topic.",
      "memory/unlinked.md": "Beside it.",
      "src/main.ts": "code",
      "node_modules/a/CLAUDE.md": "not ours",
      ".claude/rules/one.md": "Rule.",
    });
    const { tree, losses } = await moved({ from: "claude-code", source });
    expect(Object.keys(tree)).toEqual([
      "/.claude/rules/one.md",
      "/CLAUDE.md",
      "/docs/more.md",
      "/docs/style.md",
      "/memory/MEMORY.md",
      "/memory/topic.md",
      "/memory/unlinked.md",
      "/src/AGENTS.md",
    ]);
    expect(losses).toEqual([
      skipped("/CLAUDE.md: ~/.claude/own.md", "the link leads out of the folder"),
      skipped("/CLAUDE.md: ../x.md", "the link leads out of the folder"),
      skipped("/CLAUDE.md: gone.md", "the link leads to no file of the folder"),
      skipped("/node_modules", "it is not searched for notes"),
      skipped("2 other files", "they are not notes, and no note links to them"),
    ]);
  });

  it("takes the notes of a vault of Obsidian, and says what is none", async () => {
    const source = await folderOf("vault", {
      "Daily/2026-11-26.md": "---\ntags: [a]\n---\n[[Other note|o]]",
      ".obsidian/app.json": "{}",
      "picture.png": Uint8Array.of(0x89, 0x50, 0xff),
      "board.canvas": "{}",
    });
    const { tree, losses } = await moved({ from: "obsidian", source });
    expect(tree).toEqual({ "/Daily/2026-11-26.md": "---\ntags: [a]\n---\n[[Other note|o]]" });
    expect(losses).toMatchObject([
      { what: "/.obsidian/app.json" },
      { what: "/board.canvas" },
      { what: "/picture.png" },
    ]);
  });

  it("takes the notes of Basic Memory as they are", async () => {
    const note = "---\ntitle: Tea\npermalink: tea\n---\n- [fact] green #drink\n- likes [[Ada]]\n";
    const { tree } = await moved({ from: "basic-memory", source: await folderOf("basic", { "tea.md": note }) });
    expect(tree).toEqual({ "/tea.md": note });
  });

  it("pins what Letta shows in every prompt", async () => {
    const source = await folderOf("letta", {
      "system/human.md": "---\ndescription: The user\n---\nAda",
      "system/plain.md": "No front matter",
      "reference/x.md": "X",
    });
    const { tree } = await moved({ from: "letta", source });
    expect(tree).toEqual({
      "/reference/x.md": "X",
      "/system/human.md": "---\ndescription: The user\npinned: true\n---\nAda",
      "/system/plain.md": "---\npinned: true\n---\nNo front matter",
    });
  });
});

const claudeConversation = {
  uuid: "11111111-2222-3333-4444-555555555555",
  name: "Tea",
  created_at: "2025-03-04T09:00:00Z",
  chat_messages: [
    {
      uuid: "m1",
      sender: "human",
      text: "Which tea?",
      content: [{ type: "text", text: "Which tea?" }],
      created_at: "2025-03-04T09:05:00Z",
      attachments: [{ file_name: "list.pdf", extracted_content: "…" }],
    },
    {
      uuid: "m2",
      sender: "assistant",
      text: "Green.",
      content: [
        { type: "thinking", thinking: "…" },
        { type: "text", text: "Green." },
      ],
      created_at: "2025-03-04T09:06:00Z",
    },
    { uuid: "m3", sender: "human", text: "And now?", content: [], created_at: "2025-03-05T23:30:00Z" },
  ],
};

describe("moving in the export of claude.ai", () => {
  it("logs conversations by their days, and takes memories and projects as files", async () => {
    const source = await folderOf("claude-export", {
      "conversations.json": JSON.stringify([claudeConversation]),
      "memories.json": JSON.stringify([{ conversations_memory: "Likes tea", project_memories: { p1: "API" } }]),
      "projects.json": JSON.stringify([
        { uuid: "p1", name: "API", description: "d", docs: [{ filename: "a/b.md", content: "doc" }] },
      ]),
      "users.json": JSON.stringify([{ uuid: "u" }]),
    });
    const { tree, losses } = await moved({ from: "claude-export", source, into: "/old" });
    expect(Object.keys(tree)).toEqual([
      "/old/conversations/2025-03-04.md",
      "/old/conversations/2025-03-05.md",
      "/old/memory.md",
      expect.stringMatching(/^\/old\/projects\/p1\/docs\/a-b~[0-9a-f]{8}\.md$/),
      "/old/projects/p1/memory.md",
      "/old/projects/p1/project.md",
    ]);
    expect(tree["/old/conversations/2025-03-04.md"]).toMatch(
      /^## 09:05 11111111\nUser: Which tea\?\n {2}\[file list\.pdf\]\nAssistant: Green\.\n\^\w+ \w+\n$/,
    );
    expect(losses).toEqual([
      {
        what: "conversation 11111111-2222-3333-4444-555555555555",
        path: "/old/conversations",
        result: "logged",
        why: "left out: 1 parts that are not text, 1 contents of attachments",
      },
      skipped("/users.json, record 1", "it is not a memory or a conversation"),
      {
        what: "project p1, a/b.md",
        path: expect.stringMatching(/^\/old\/projects\/p1\/docs\/a-b~/),
        result: "written",
        why: "its name was changed to one that a path can have",
      },
    ]);
  });

  it("says which memories are not text", async () => {
    const memories = [{ conversations_memory: 5, project_memories: ["API"], memory_files: "x" }];
    const source = await fileOf("claude-memories.json", JSON.stringify(memories));
    const { tree, losses } = await moved({ from: "claude-export", source });
    expect(tree).toEqual({});
    expect(losses).toEqual([
      skipped("record 1, memory", "it is not text"),
      skipped("record 1, project memories", "they have no names"),
      skipped("record 1, memory files", "they are not a list"),
    ]);
  });

  it("puts the parts of a day in the order of their times, whatever the order of the export", async () => {
    const later = {
      uuid: "later",
      chat_messages: [{ uuid: "x", sender: "human", text: "Later", created_at: "2025-03-04T11:00:00Z" }],
    };
    const trees = [];
    for (const list of [
      [claudeConversation, later],
      [later, claudeConversation],
    ]) {
      const source = await fileOf("conversations.json", JSON.stringify(list));
      trees.push((await moved({ from: "claude-export", source })).tree);
    }
    expect(trees[0]).toEqual(trees[1]);
    expect(trees[0]?.["/conversations/2025-03-04.md"]).toMatch(/^## 09:05 [^]*\n## 11:00 later\n/);
  });
});

describe("moving in the export of ChatGPT", () => {
  const node = (
    id: string,
    parent: string | null,
    role: string,
    text: unknown,
    more: object = {},
  ): [string, object] => [
    id,
    {
      id,
      parent,
      message: {
        id,
        author: { role },
        create_time: 1_741_079_100 + Number(id),
        content: { content_type: "text", parts: [text] },
        ...more,
      },
    },
  ];
  const conversation = {
    conversation_id: "c1",
    current_node: "5",
    mapping: Object.fromEntries([
      ["0", { id: "0", parent: null, message: null }],
      node("1", "0", "system", ""),
      node("2", "1", "user", "Hello"),
      node("3", "2", "assistant", "Another answer"),
      node("4", "2", "assistant", "print(1)", { recipient: "python" }),
      node(
        "5",
        "4",
        "assistant",
        { content_type: "image_asset_pointer" },
        {
          content: { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }, "Here."] },
        },
      ),
    ]),
  };

  it("logs the branch that was shown last, and counts what is left out", async () => {
    const source = await fileOf("chatgpt.json", JSON.stringify([conversation]));
    const { tree, losses } = await moved({ from: "chatgpt-export", source });
    expect(Object.keys(tree)).toEqual(["/conversations/2025-03-04.md"]);
    expect(tree["/conversations/2025-03-04.md"]).toMatch(
      /^## 09:05 c1\nUser: Hello\nAssistant: \[file\]\n {2}Here\.\n\^\w+ \w+\n$/,
    );
    expect(losses).toMatchObject([
      { why: "left out: 1 messages of other branches, 2 messages of tools and settings, 1 pictures and files" },
    ]);
  });

  it("takes what was spoken aloud", async () => {
    const spoken = { content_type: "audio_transcription", text: "Hello", direction: "in" };
    const [id, aloud] = node("2", null, "user", "", {
      content: { content_type: "multimodal_text", parts: [spoken, { content_type: "audio_asset_pointer" }] },
    });
    const source = await fileOf(
      "aloud.json",
      JSON.stringify([{ ...conversation, current_node: id, mapping: { [id]: aloud } }]),
    );
    const { tree, losses } = await moved({ from: "chatgpt-export", source });
    expect(Object.values(tree)[0]).toContain("User: Hello\n  [file]\n");
    expect(losses).toMatchObject([{ why: "left out: 1 pictures and files" }]);
  });

  it("counts messages without a time", async () => {
    const [id, timeless] = node("2", null, "user", "Hello", { create_time: null });
    const source = await fileOf(
      "timeless.json",
      JSON.stringify([{ ...conversation, current_node: id, mapping: { [id]: timeless } }]),
    );
    expect((await moved({ from: "chatgpt-export", source })).losses).toMatchObject([
      { why: "left out: 1 messages without a time" },
    ]);
  });

  it("ends at a circle of messages", async () => {
    const circle = {
      ...conversation,
      mapping: Object.fromEntries([node("5", "2", "user", "a"), node("2", "5", "user", "b")]),
    };
    const source = await fileOf("circle.json", JSON.stringify([circle]));
    const { tree } = await moved({ from: "chatgpt-export", source });
    expect(Object.values(tree)[0]).toContain("User: b\nUser: a");
  });
});
