import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { InMemoryStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent } from "langchain";

import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import {
  Agent,
  CallModelNode,
  MemoryNode,
  createMemoryPrompt,
  MemoryTool,
  buildGraph,
  mountMemories,
  MemoryConnectorNode,
  openMemory,
  logConversation,
} from "../../../src/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { edge, node as templateNode } from "../../helpers/graph-definitions.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { auto, getTurnPart, writeManyNotes } from "../../helpers/turns.js";

const store = new InMemoryStore();
const question = { messages: [new HumanMessage("hello")] };

/** A node with a file that each tool can change, and the same text at each path. */
async function createNode(): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store });
  await node.memory().write("/project/todo", "old");
  return node;
}

/** How each dialect's tools change the file at the path that a prompt shows. */
const dialects = [
  {
    name: "the unified tool",
    root: "/",
    path: "/project/todo",
    createTools: (node: MemoryNode): StructuredTool[] => [new MemoryTool({ memory: node })],
    change: (path: string) => ({ command: "update", path, oldContent: "old", content: "new" }),
  },
  {
    name: "Claude's tool",
    root: "/memories",
    path: "/memories/project/todo",
    createTools: (node: MemoryNode): StructuredTool[] => [createClaudeMemoryTool(node)],
    change: (path: string) => ({ command: "str_replace", path, old_str: "old", new_str: "new" }),
  },
  {
    name: "Claude's tool with another root",
    root: "/notes/of mine",
    path: "/notes/of mine/project/todo",
    createTools: (node: MemoryNode): StructuredTool[] => [createClaudeMemoryTool(node, { root: "/notes/of mine/" })],
    change: (path: string) => ({ command: "str_replace", path, old_str: "old", new_str: "new" }),
  },
  {
    name: "the records' tools",
    root: "",
    path: "project/todo",
    createTools: (node: MemoryNode): StructuredTool[] => createRecordTools(node).filter(({ name }) => name[0] === "r"),
    change: (path: string) => ({ path, content: "new" }),
  },
];

type WayIn = (node: MemoryNode, tools: StructuredTool[], model: ScriptedChatModel, root: string) => Promise<unknown>;

/** Every way to show a memory to a model. Each shows `node` to the model, which has `tools`. */
const waysIn: Record<string, WayIn> = {
  "a graph with a CallModelNode": (node, tools, model) =>
    new StateGraph(MessagesAnnotation)
      .addNode("call_model", new CallModelNode({ model, tools, memoryConnector: node }))
      .addEdge(START, "call_model")
      .compile()
      .invoke(question),
  "an Agent": (node, tools, model) => new Agent({ model, tools, memoryConnector: node }).invoke(question),
  "the middleware": (memory, tools, model) =>
    createAgent({ model, tools, middleware: [memoryMiddleware({ memory, tools: false })] }).invoke(question),
  "the prompt function": (node, tools, model) =>
    createReactAgent({ llm: model, tools, prompt: createMemoryPrompt({ connector: node, tools }) }).invoke(question),
  "a connector by hand": async (node, tools, model) =>
    model.invoke(await node.createConnector().inject(question.messages, {}, model, tools)),
  "a rendered message": async (node, _tools, model, root) =>
    model.invoke([(await node.createConnector({ root }).renderMessage()) as BaseMessage]),
};

/** The path in the only line of a file that the model was shown. */
function getShownPath(model: ScriptedChatModel): string {
  const prompt = model.calls.at(-1)?.map(({ text }) => text) ?? [];
  return /^(?:- )?(.*\S) \(3 bytes\)$/m.exec(prompt.join("\n"))?.[1] ?? "nothing";
}

describe.each(dialects)("the prompt of an agent with $name", ({ root, path, createTools, change }) => {
  it.each(Object.keys(waysIn))("shows a path that the tool takes, by %s", async (wayIn) => {
    const node = await createNode();
    const model = new ScriptedChatModel(() => "done");
    const tools = createTools(node);
    // A tool of another agent.
    createClaudeMemoryTool(node, { root: "/elsewhere" });
    await waysIn[wayIn]?.(node, tools, model, root);
    expect(getShownPath(model)).toBe(path);
    await tools[0]?.invoke(change(getShownPath(model)));
    expect(await node.memory().read("/project/todo")).toBe("new");
  });
});

describe.each(dialects)("the prompt of an agent with $name and content auto", ({ path, createTools, change }) => {
  it("shows the path of a passage as the tool takes it", async () => {
    const node = await createNode();
    await writeManyNotes(node.memory());
    const model = new ScriptedChatModel(() => "done");
    const tools = createTools(node);
    await new Agent({ model, tools, memoryConnector: node.createConnector(auto) }).invoke({
      messages: [new HumanMessage("What is old?")],
    });
    const part = getTurnPart(model.calls[0] ?? [], "What is old?");
    const shown = /\n(?:- )?(.*):\n\| old\n/.exec(part)?.[1] ?? "nothing";
    expect(shown).toBe(path);
    await tools[0]?.invoke(change(shown));
    expect(await node.memory().read("/project/todo")).toBe("new");
  });
});

describe("the prompt of an agent with the journal's tools and content auto", () => {
  it.each(["/", "/journal"])(
    "shows a passage by whose words the tools find its block, with the root %s",
    async (root) => {
      const node = await createNode();
      await writeManyNotes(node.memory());
      const model = new ScriptedChatModel(() => "done");
      const tools = createJournalTools(node, { root });
      const [write, update, , search] = tools;
      await write?.invoke({ key: "deploy window", content: "Deploys are on Mondays.", target: "summary" });
      await new Agent({ model, tools, memoryConnector: node.createConnector(auto) }).invoke({
        messages: [new HumanMessage("When are deploys?")],
      });
      const part = getTurnPart(model.calls[0] ?? [], "When are deploys?");
      const path = `${root === "/" ? "" : root}/MEMORY.md`;
      const shown = new RegExp(`\\n${path}:\\n(?:\\d*\\| .*\\n)*?\\d*\\| (Deploys .*)\\n`).exec(part)?.[1] ?? "nothing";
      const found: unknown = JSON.parse((await search?.invoke({ query: shown })) as string);
      expect(found).toMatchObject({ data: { results: [{ key: "deploy window" }] } });
      await update?.invoke({ key: "deploy window", content: "Deploys are on Tuesdays." });
      expect(await node.memory().read(path)).toContain("Tuesdays");
    },
  );
});

describe("the paths that a connector shows", () => {
  it("are the memory's own where no tools are known, also after tools of each dialect are made for the node", async () => {
    const node = await createNode();
    const connector = node.createConnector();
    const prompt = createMemoryPrompt({ connector });
    createClaudeMemoryTool(node);
    createRecordTools(node);
    createJournalTools(node, { root: "/journal" });
    const texts = [
      (await connector.renderMessage())?.text,
      (await prompt(question, {})).map(({ text }) => text).join(),
    ];
    for (const text of texts) expect(text).toContain("\n/project/todo (3 bytes)\n");
  });

  it("are those of the tools of the same memory, where an agent has tools of several", async () => {
    const [node, other] = [await createNode(), await createNode()];
    const model = new ScriptedChatModel(() => "done");
    const tools = [new MemoryTool({ memory: other, name: "other" }), createClaudeMemoryTool(node)];
    await new Agent({ model, tools, memoryConnector: node }).invoke(question);
    expect(getShownPath(model)).toBe("/memories/project/todo");
  });

  it("are those of tools that find the memory by a function", async () => {
    const node = await createNode();
    const model = new ScriptedChatModel(() => "done");
    await new Agent({ model, tools: createRecordTools(() => node.memory()), memoryConnector: node }).invoke(question);
    expect(getShownPath(model)).toBe("project/todo");
  });

  it("change with the tools of an agent", async () => {
    const node = await createNode();
    const model = new ScriptedChatModel(() => "done");
    const agent = new Agent({ model, tools: node.memoryTools, memoryConnector: node });
    await agent.invoke(question);
    const before = getShownPath(model);
    agent.removeTool("memory");
    agent.addTool(createClaudeMemoryTool(node));
    await agent.invoke(question);
    expect([before, getShownPath(model)]).toEqual(["/project/todo", "/memories/project/todo"]);
  });

  it("are those of a template's tools, and of a tool that the program adds", async () => {
    const model = new ScriptedChatModel(() => "done");
    const graph = buildGraph(
      {
        nodes: [templateNode("M", "memory"), templateNode("A", "agent")],
        edges: [edge("M.$self -> A.$memory")],
      },
      { store: new InMemoryStore(), model },
    );
    await graph.memory("M").memory().write("/project/todo", "old");
    await graph.agent("A").invoke(question);
    const before = getShownPath(model);
    graph.agent("A").addTool(createClaudeMemoryTool(graph.memory("M")));
    await graph.agent("A").invoke(question);
    expect([before, getShownPath(model)]).toEqual(["/project/todo", "/memories/project/todo"]);
  });

  it("begin with the root that a program names, such as the route of a deep agent", async () => {
    const memory = await createNode();
    let path = "";
    const model = new ScriptedChatModel((messages) => {
      if (messages.some(({ type }) => type === "tool")) return "done";
      path = /^(.*) \(3 bytes\)$/m.exec(messages.map(({ text }) => text).join("\n"))?.[1] ?? "nothing";
      return { tool: "read_file", args: { file_path: path } };
    });
    const agent = createDeepAgent({
      model,
      backend: new CompositeBackend(new StateBackend(), { "/memories/": new DeepAgentsBackend(memory) }),
      middleware: [memoryMiddleware({ memory, tools: false, root: "/memories/" })],
    });
    const { messages } = await agent.invoke(question);
    expect(path).toBe("/memories/project/todo");
    expect(messages.find(({ type }) => type === "tool")?.text).toContain("old");
  });

  it("cannot begin with what is no absolute path", () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    for (const root of ["memories", "/a/../b", "/\u0000"])
      expect(() => node.createConnector({ root })).toThrow('root: must be "" or an absolute path, such as "/memories"');
  });

  it("are relative for mounts, too, in the message and in the descriptions of the tools", async () => {
    const node = new MemoryNode({
      ...freshAddress(),
      store,
      mounts: { "/team": { nodeId: freshAddress().nodeId, access: "read", description: "The team's" } },
    });
    await node.memory().write("/project/todo", "old");
    const [tool] = createRecordTools(node);
    expect((await node.createConnector({ root: "" }).renderMessage())?.text.split("\n").slice(-5)).toEqual([
      "- ./ (global)",
      "- project/",
      "- project/todo (3 bytes)",
      "- team/ - The team's (global, read-only, empty)",
      "</memory>",
    ]);
    expect(tool?.description).toMatch(/\nteam\/\*\* is read-only \(The team's\)\.$/);
  });

  it("name folders as the records' search takes them", async () => {
    const node = await createNode();
    const search = createRecordTools(node, { search: true }).find(({ name }) => name === "memory_search");
    const folder = /^- (project\/)$/m.exec((await node.createConnector({ root: "" }).renderMessage())?.text ?? "")?.[1];
    expect(await search?.invoke({ query: "old", path: folder })).toContain("path: project/todo");
    expect(await search?.invoke({ query: "old", path: "project//" })).toContain("MEMORY_PATH_INVALID");
  });
});

describe("the message of a connector", () => {
  it("says that the memory is empty where it is, and what would stand in for it, too", async () => {
    const thread = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    const empty = "This memory is empty; the memory tool writes to it.\nScope: ";
    for (const content of ["tree", "index", "full"] as const) {
      const connector = thread.createConnector({ content });
      const own = await connector.renderMessage({ threadId: "1" });
      expect(own?.text).toContain(`${empty}perThread, this thread only.`);
      expect(await connector.renderMessage()).toBeNull();
      const shared = await new MemoryNode({ ...freshAddress(), store }).createConnector({ content }).renderMessage();
      expect(shared?.text).toContain(`${empty}global, shared by all threads.`);
    }
    await thread.globalMemory().append("/shared", "x");
    expect((await thread.createConnector().renderMessage({ threadId: "1" }))?.text).toContain("/shared");
  });

  it("is the global one where a thread has no files, whatever directories it has, and its own where neither has files", async () => {
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    await node.globalMemory().append("/shared", "x");
    await node.memory("1").append("/own/note", "x");
    const shown = async (): Promise<string> =>
      (await node.createConnector().renderMessage({ threadId: "1" }))?.text ?? "";
    await node.memory("1").delete("/own/note");
    expect(await shown()).toContain("\n/shared (1 byte)\n");
    await node.globalMemory().delete("/shared");
    expect(await shown()).toContain('<memory scope="perThread"');
    expect(await shown()).toContain("\n/own/\n");
    await node.memory("1").delete("/");
    expect(await shown()).toContain("This memory is empty");
  });

  it("is the global one in a tree of mounts, too, where a thread has no files at the root", async () => {
    const other = new MemoryNode({ ...freshAddress(), store });
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread", mounts: { "/other": other } });
    await node.globalMemory().append("/shared", "x");
    await node.memory("1").append("/own/note", "x");
    await node.memory("1").delete("/own/note");
    expect((await node.createConnector().renderMessage({ threadId: "1" }))?.text).toContain("\n/shared (1 byte)\n");
  });

  it("is the tree that an object of the program gives, with a line for each memory", async () => {
    const [own, team] = [openMemory(store, freshAddress()), openMemory(store, freshAddress())];
    await team.write("/plan", "x");
    const tree = mountMemories({ "/": own, "/team": { memory: team, access: "read" } });
    const memory = { scope: "global", memoryForRun: () => tree, globalMemory: () => tree } as const;
    const text = (await new MemoryConnectorNode({ memory }).renderMessage())?.text;
    expect(text).toContain("\n/ (global, empty)\n/team/ (global, read-only)\n/team/plan (1 byte)\n");
  });

  it("is merged into the system message of a list of plain objects, which has the turn beside its question", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/pets", `${"The zebra sleeps.\n".repeat(400)}The lion is called Leo.`);
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Who is the lion?" },
    ];
    const placed = await node.createConnector({ content: "auto", maxChars: 2000 }).inject(messages);
    expect(placed.map(({ type }) => type)).toEqual(["system", "human"]);
    expect(placed[0]?.text).toMatch(/^Be kind\.\n\n[^]*<memory /);
    expect(placed[1]?.text).toMatch(/called Leo[^]*\n\nWho is the lion\?$/);
  });

  it.each(["index", "auto"] as const)(
    "shows a skill by its name and description, if it is long: %s",
    async (content) => {
      const node = new MemoryNode({ ...freshAddress(), store });
      const skill = `---\nname: verse\ndescription: How to write a verse\n---\n${"Count the syllables.\n".repeat(500)}`;
      await node.memory().write("/skills/verse/SKILL.md", skill);
      const text = (await node.createConnector({ content }).renderMessage({ question: "Hi" }))?.text;
      expect(text).toContain(`\n/skills/verse/SKILL.md (${skill.length} bytes): How to write a verse\n`);
    },
  );

  it("is an index with a line about each file, after all names if there are more files than fit", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/skill.md", "---\ndescription: How to ship\n---\n# Shipping");
    const connector = node.createConnector({ content: "index", maxChars: 700 });
    expect((await connector.renderMessage())?.text).toContain("\n/skill.md (43 bytes): How to ship\n");
    for (let index = 0; index < 60; index += 1) await node.memory().write(`/${index}`, "x");
    expect((await connector.renderMessage())?.text).toMatch(
      /view="index"[^]*\n\/2 \(1 byte\)\n[^]*\n\(29 of 61 entries left out\)\n\(\d+ descriptions left out\)/,
    );
  });
});

const asked = "Where is the red umbrella?";
const reasonsOf = ({ leftOut }: { leftOut: { reason: string; path?: string; count: number }[] }): unknown[] =>
  leftOut.map(({ reason, path, count }) => [reason, path ?? null, count]);

describe("explain", () => {
  it("says that a run names no user, and which mount it cannot have", async () => {
    const mounts = { "/mine": { nodeId: "drafts", scope: "perThread" as const } };
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perUser", mounts });
    await node.globalMemory().write("/shared", "x");
    const { leftOut, parts } = await node.createConnector().explain({ question: asked });
    expect(parts.join("")).toContain("/shared");
    expect(leftOut.slice(0, 2)).toEqual([
      { reason: "noOwner", count: 1, message: "the run names no user: pass its userId" },
      { reason: "noOwner", path: "/mine", count: 1, message: "thread_id is required for perThread scope" },
    ]);
  });

  it("says that the memory is down where a prompt would go without it", async () => {
    const node = new MemoryNode({ ...freshAddress() });
    const { parts, shown, leftOut } = await node.createConnector().explain({ question: asked });
    expect([parts, shown]).toEqual([[], []]);
    expect(leftOut).toEqual([{ reason: "memoryDown", count: 1, message: expect.stringContaining("ENOTMEM") }]);
  });

  it("names the lines of whole files, and the files that are too long or hidden", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/lines", "one\ntwo\n");
    await node.memory().write("/long", "x".repeat(5000));
    const hidden = openMemory(store, node.memory().address, { paths: "posix" });
    await hidden.write("/.own/a", "The red umbrella is in the hall.");
    const explained = await node.createConnector({ content: "full" }).explain({ question: asked });
    expect(explained.shown).toEqual([{ path: "/lines", startLine: 1, endLine: 2, score: null }]);
    expect(reasonsOf(explained)).toEqual([
      ["noLog", null, 1],
      ["room", "/long", 1],
      ["hiddenDirectory", "/.own", 1],
    ]);
  });

  it("tells passages without a word of the question from others, also beyond the passages that could fit", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    const umbrellas = Array.from({ length: 500 }, (_, index) => `Umbrella ${index} is blue.`).join("\n");
    await node.memory().write("/umbrellas", umbrellas);
    // Far from the first file, so that none of its lines is near a hit.
    await node.memory().write("/parasols", Array.from({ length: 300 }, (_, index) => `Parasol ${index}.`).join("\n"));
    const explained = await node.createConnector({ content: "auto", maxChars: 1000 }).explain({ question: asked });
    const shown = (path: string): number => explained.shown.filter((passage) => passage.path === path).length;
    expect(shown("/umbrellas")).toBeGreaterThan(5);
    expect(explained.shown.every(({ score }) => score !== null)).toBe(true);
    expect(reasonsOf(explained)).toEqual([
      ["noLog", null, 1],
      ["room", "/umbrellas", 500 - shown("/umbrellas")],
      ["noCommonWord", "/parasols", 300 - shown("/parasols")],
    ]);
  });

  it("counts messages that a guard refused, also if none of a run is left, and none that an earlier file has", async () => {
    const guard = ({ content }: { content: string }): void => {
      if (content.includes("secret")) throw new Error("refused");
    };
    const node = new MemoryNode({ ...freshAddress(), store, guard, log: true });
    const say = (texts: string[], day: string): Promise<number> =>
      logConversation(
        node.memory(),
        texts.map((content) => ({ role: "user", content })),
        { threadId: "t", at: new Date(`${day}T10:00:00Z`) },
      );
    await say(["a secret", "a second secret"], "2026-03-02");
    await say(["a secret", "a second secret", "Hello.", "another secret"], "2026-03-03");
    const explained = await node.createConnector().explain({ question: asked });
    expect(reasonsOf(explained)).toEqual([
      ["refusedByGuard", "/conversations/2026-03-02/t.md", 2],
      ["refusedByGuard", "/conversations/2026-03-03/t.md", 1],
    ]);
  });

  it("refuses a question that is no text, and a run that is no object", async () => {
    const connector = new MemoryNode({ ...freshAddress(), store }).createConnector();
    await expect(connector.explain({ question: 1 as never })).rejects.toThrow("explain: question must be a text");
    await expect(connector.explain({ question: asked, run: "ada" as never })).rejects.toThrow(
      "explain: run must be an object",
    );
  });
});

describe("renderMessage with a question", () => {
  it("names the argument that is missing for the memory of a user or a thread", async () => {
    for (const [scope, field] of [
      ["perUser", "userId"],
      ["perThread", "threadId"],
    ] as const) {
      const connector = new MemoryNode({ ...freshAddress(), store, scope }).createConnector();
      await expect(connector.renderMessage({ question: asked })).rejects.toMatchObject({
        code: "EINVAL",
        message: expect.stringContaining(`${field} is missing: pass { question, ${field} }`),
      });
      expect(await connector.renderMessage({ question: asked, [field]: "a" })).not.toBeNull();
    }
  });
});
