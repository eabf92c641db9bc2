import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "@jest/globals";
import { createLogRule } from "../../../src/core/access/policy.js";
import { bindMemory } from "../../../src/core/bind-memory.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { logConversation, type Memory, MemoryNode, type MemoryNodeOptions } from "../../../src/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { freshMemory, pathsIn } from "../../helpers/fresh-memory.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { openInFolder, testFolder } from "../../helpers/test-folder.js";

const at = new Date("2026-03-04T09:05:00Z");
const file = "/conversations/2026-03-04/no-thread.md";

async function createLoggedNode(options: Partial<MemoryNodeOptions> = {}): Promise<MemoryNode> {
  const node = new MemoryNode({ nodeId: "n", store: new InMemoryStore(), paths: "posix", log: true, ...options });
  await logConversation(node.memory(), [new HumanMessage("I like figs"), new AIMessage("Noted")], { at });
  await node.memory().write("/notes", "note");
  return node;
}

type Call = [tool: string, args: Record<string, unknown>];

async function callTools(tools: readonly { name: string; invoke: unknown }[], [name, args]: Call): Promise<string> {
  const tool = tools.find((each) => each.name === name) as { invoke(args: object): Promise<unknown> };
  return String(await tool.invoke(args));
}

const unified: Call[] = [
  ["memory", { command: "append", path: file, content: "x" }],
  ["memory", { command: "delete", path: "/conversations" }],
];
const claude: Call[] = [
  ["memory", { command: "create", path: `/memories${file}`, file_text: "x" }],
  ["memory", { command: "str_replace", path: `/memories${file}`, old_str: "figs", new_str: "x" }],
  ["memory", { command: "rename", old_path: "/memories/conversations", new_path: "/memories/mine" }],
  ["memory", { command: "rename", old_path: "/memories/notes", new_path: "/memories/conversations/notes" }],
];
const records: Call[] = [
  ["add_memory", { path: "conversations/mine", content: "x" }],
  ["drop_memory", { path: file.slice(1) }],
];

describe("the tools of a node with a log", () => {
  it.each([
    ...unified.map((call) => ["unified", call, (node: MemoryNode) => node.memoryTools] as const),
    ...claude.map((call) => ["claude", call, (node: MemoryNode) => [createClaudeMemoryTool(node)]] as const),
    ...records.map((call) => ["records", call, (node: MemoryNode) => createRecordTools(node)] as const),
    [
      "journal",
      ["memory_write", { key: "k", content: "x", target: "summary" }] as Call,
      (node: MemoryNode) => createJournalTools(node, { root: "/conversations" }),
    ] as const,
  ])("cannot change it: %s %j", async (_dialect, call, tools) => {
    const node = await createLoggedNode();
    const before = await node.memory().snapshot();
    expect(await callTools(tools(node), call)).toMatch(/read-only/);
    expect((await node.memory().snapshot()).files).toEqual(before.files);
  });

  it("cannot change it by deepagents", async () => {
    const node = await createLoggedNode();
    const before = await node.memory().snapshot();
    const backend = new DeepAgentsBackend(node, { onError: () => undefined });
    const answers = [
      await backend.write(file, "x"),
      await backend.edit(file, "figs", "x"),
      await backend.delete("/conversations"),
      ...(await backend.uploadFiles([[file, new TextEncoder().encode("x")]])),
    ];
    for (const { error } of answers) expect(error).toMatch(/read-only|permission_denied/);
    expect((await node.memory().snapshot()).files).toEqual(before.files);
  });

  it("can read and search it", async () => {
    const node = await createLoggedNode({ search: true });
    expect(await callTools(node.memoryTools, ["memory", { command: "read", path: file }])).toContain("figs");
    expect(await callTools(node.memoryTools, ["memory", { command: "search", query: "figs" }])).toContain("figs");
  });

  it("are told that it is read-only", async () => {
    const { memoryTools } = await createLoggedNode();
    expect(memoryTools[0]?.description).toContain("/conversations/** is read-only.");
  });

  it.each<[string, (node: MemoryNode) => Promise<unknown>]>([
    ["unified", (node) => callTools(node.memoryTools, ["memory", { command: "delete", path: "/" }])],
    ["records", (node) => callTools(createRecordTools(node), ["clear_memory", {}])],
    ["deepagents", (node) => new DeepAgentsBackend(node).delete("/")],
    ["a program", (node) => node.memory().delete("/")],
  ])("keep it when they delete everything else: %s", async (_way, deleteAll) => {
    const node = await createLoggedNode({ mounts: { "/team": { nodeId: "team" } } });
    await deleteAll(node);
    expect(await pathsIn(node.memory())).toEqual([file]);
  });

  it("cannot put anything in the place of a directory above it", async () => {
    const node = new MemoryNode({ nodeId: "n", store: new InMemoryStore(), log: { path: "/a/b/log" } });
    const memory = node.memory();
    for (const path of ["/a", "/a/b", "/a/b/log"]) {
      await expect(memory.write(path, "x")).rejects.toMatchObject({ code: "EACCES" });
      await expect(memory.rename("/notes", path)).rejects.toMatchObject({ code: "EACCES" });
    }
    await logConversation(memory, [new HumanMessage("hi")], { at, path: "/a/b/log" });
    await memory.write("/a/note", "x");
    await memory.write("/x/note", "x");
    for (const path of ["/a", "/a/b"]) {
      await expect(memory.delete(path)).rejects.toMatchObject({ code: "EACCES" });
      await expect(memory.rename(path, "/elsewhere")).rejects.toMatchObject({ code: "EACCES" });
    }
    expect(await memory.delete("/")).toMatchObject({ files: 2, dirs: 1 });
    expect(await pathsIn(memory)).toEqual(["/a/b/log/2026-03-04/no-thread.md"]);
  });

  it("are refused a delete of everything where only the log is left", async () => {
    const node = await createLoggedNode();
    await node.memory().delete("/");
    const message = 'EACCES: /conversations is all that is left, and is read-only here (access "read"); forget deletes';
    await expect(node.memory().delete("/")).rejects.toThrow(message);
    await expect(node.memory().delete("/")).rejects.toMatchObject({ code: "EACCES", path: "/conversations" });
    const answers = [
      await callTools(node.memoryTools, ["memory", { command: "delete", path: "/" }]),
      await callTools(createRecordTools(node), ["clear_memory", {}]),
      (await new DeepAgentsBackend(node, { onError: () => undefined }).delete("/")).error,
    ];
    for (const answer of answers) expect(answer).toContain("read-only");
    expect((await node.memory().snapshot()).files).toHaveLength(1);
  });

  it("may delete everything where the log has not begun", async () => {
    const node = new MemoryNode({ nodeId: "n", store: new InMemoryStore(), log: true });
    expect(await node.memory().delete("/")).toEqual({ files: 0, dirs: 0 });
  });
});

describe("deleting the root of a folder", () => {
  const folder = testFolder();

  it("keeps a log and the directories above it", async () => {
    const memory: Memory = openInFolder(folder, freshAddress(), { paths: "posix" });
    for (const path of ["/a/log/day.md", "/a/note.md", "/a/x/note.md", "/b/note.md", "/note.md"])
      await memory.write(path, "x");
    const policy = { access: "write" as const, rules: [createLogRule("/a/log")] };
    expect(await bindMemory(memory, { policies: [policy] }).delete("/")).toMatchObject({ files: 4, dirs: 2 });
    expect(await memory.snapshot()).toMatchObject({
      files: [{ path: "/a/log/day.md" }],
      directories: ["/a", "/a/log"],
    });
  });
});

describe("the log as files", () => {
  it("is a log of `openMemory` too, for a program", async () => {
    const memory = freshMemory();
    await logConversation(memory, [new HumanMessage("I like figs")], { at });
    const [best, ...others] = await memory.search("figs");
    expect(best).toMatchObject({ path: file, startLine: 2, text: "User: I like figs" });
    expect(others).toMatchObject([{ text: "## 09:05" }]);
    await memory.delete("/conversations");
    expect((await memory.snapshot()).files).toEqual([]);
  });
});
