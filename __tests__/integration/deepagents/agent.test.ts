import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, jest } from "@jest/globals";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { ScriptedChatModel, type ScriptedCall } from "../../helpers/scripted-chat-model.js";
import { type MemoryError, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { testDatabase } from "../../helpers/test-database.js";

interface Options {
  node: MemoryNode;
  /** What the model calls, turn by turn, before it says "done". */
  turns: ScriptedCall[][];
  /** The agent's, for a node without one. */
  store?: BaseStore;
  memory?: string[];
  skills?: string[];
  threadId?: string;
  onError?: (error: MemoryError) => void;
}

/**
 * One run of a deep agent whose `/memories/` are the node's; the answers of its tools, turn by turn, and its prompt.
 */
async function run({
  node,
  turns,
  store,
  threadId = "thread",
  onError,
  ...rest
}: Options): Promise<{ answers: string[][]; prompt: string; text: string }> {
  const model = new ScriptedChatModel(
    (messages) => turns[messages.filter(({ type }) => type === "ai").length] ?? "done",
  );
  const agent = createDeepAgent({
    model,
    backend: new CompositeBackend(new StateBackend(), {
      "/memories/": new DeepAgentsBackend(node, { ...(onError && { onError }) }),
    }),
    ...(store && { store }),
    ...rest,
  });
  const input = { messages: [new HumanMessage("go")] };
  const { messages } = await agent.invoke(input, { configurable: { thread_id: threadId } });
  const answers: string[][] = [];
  for (const message of messages) {
    if (message.type === "ai") answers.push([]);
    if (message.type === "tool") answers.at(-1)?.push((message as ToolMessage).text);
  }
  return { answers: answers.slice(0, -1), prompt: model.calls[0]?.[0]?.text ?? "", text: messages.at(-1)?.text ?? "" };
}

const call = (tool: string, args: Record<string, unknown>): ScriptedCall => ({ tool, args });
const write = (file_path: string, content: string): ScriptedCall => call("write_file", { file_path, content });
const edit = (file_path: string, old_string: string, new_string: string): ScriptedCall =>
  call("edit_file", { file_path, old_string, new_string });
const read = (file_path: string, rest: object = {}): ScriptedCall => call("read_file", { file_path, ...rest });

const { client, name: dbName } = testDatabase();
const mongodb = new MongoMemoryStore({ client, dbName });

describe("a deep agent", () => {
  const freshNode = (): MemoryNode => new MemoryNode({ store: mongodb, ...freshAddress() });

  it("writes, reads, edits, finds and deletes with its own tools", async () => {
    const node = freshNode();
    const { answers } = await run({
      node,
      turns: [
        [
          write("/memories/notes/a.md", "alpha\nbeta\ngamma\n"),
          write("/memories/b.txt", "beta"),
          write("/scratch.md", "beta of the state"),
        ],
        [read("/memories/notes/a.md", { offset: 1, limit: 1 })],
        [edit("/memories/notes/a.md", "beta", "$& and more")],
        [edit("/memories/notes/a.md", "missing", "x"), edit("/memories/none.md", "x", "y")],
        [call("ls", { path: "/memories" }), call("ls", { path: "/" })],
        [
          call("grep", { pattern: "beta", path: "/memories/" }),
          call("grep", { pattern: "beta", path: "/", glob: "*.md" }),
        ],
        [call("glob", { pattern: "**/*.md", path: "/memories" }), call("glob", { pattern: "**/*.md" })],
        [call("delete", { file_path: "/memories/notes" })],
        [call("delete", { file_path: "/memories/notes" }), read("/memories/notes/a.md")],
      ],
    });
    expect(answers).toEqual([
      [
        "Successfully wrote to '/memories/notes/a.md'",
        "Successfully wrote to '/memories/b.txt'",
        "Successfully wrote to '/scratch.md'",
      ],
      ["@@ lines 2-2 of 3 | next offset 2 @@\nbeta"],
      ["Successfully replaced 1 occurrence(s) in '/memories/notes/a.md'"],
      ["Error: String not found in file: 'missing'", "Error: File '/none.md' not found"],
      ["/memories/b.txt (4 bytes)\n/memories/notes/ (directory)", "/memories/ (directory)\n/scratch.md (17 bytes)"],
      ["/memories/b.txt:\n  1: beta", "/scratch.md:\n  1: beta of the state"],
      ["/memories/notes/a.md", "/memories/notes/a.md\n/scratch.md"],
      ["Deleted /memories/notes"],
      ["Error: File '/notes' not found", "Error: File '/notes/a.md' not found"],
    ]);
    expect((await node.memory().snapshot()).files.map(({ path, content }) => [path, content])).toEqual([
      ["/b.txt", "beta"],
    ]);
  });

  it("loses none of 20 edits of one file in one turn", async () => {
    const node = freshNode();
    const indices = Array.from({ length: 20 }, (_, index) => index);
    await node.memory().write("/list.md", indices.map((index) => `- item ${index}.\n`).join(""));
    const { answers } = await run({
      node,
      turns: [indices.map((index) => edit("/memories/list.md", `item ${index}.`, `done ${index}.`))],
    });
    expect(answers).toEqual([indices.map(() => "Successfully replaced 1 occurrence(s) in '/memories/list.md'")]);
    expect(await node.memory().read("/list.md")).toBe(indices.map((index) => `- done ${index}.\n`).join(""));
  });

  it("shows its memory in the prompt, in other threads too", async () => {
    const node = freshNode();
    const memory = ["/memories/AGENTS.md"];
    const first = await run({
      node,
      memory,
      threadId: "one",
      turns: [[write("/memories/AGENTS.md", "Answer in verse.")]],
    });
    expect(first.prompt).toContain("(No memory loaded)");
    const second = await run({ node, memory, threadId: "two", turns: [] });
    expect(second.prompt).toContain("/memories/AGENTS.md\nAnswer in verse.");
  });

  it("finds its skills there", async () => {
    const node = freshNode();
    const skill = "---\nname: verse\ndescription: Answers in verse.\n---\nRhyme.\n";
    await node.memory().write("/skills/verse/SKILL.md", skill);
    const { prompt } = await run({ node, skills: ["/memories/skills/"], turns: [] });
    expect(prompt).toContain("Answers in verse.");
  });

  it("keeps the threads of a perThread node apart, prompts included", async () => {
    const node = new MemoryNode({ store: mongodb, ...freshAddress(), scope: "perThread" });
    const memory = ["/memories/AGENTS.md"];
    for (const threadId of ["ada@example.com", "bob"]) {
      await run({ node, threadId, turns: [[write("/memories/AGENTS.md", `I am ${threadId}.`)]] });
    }
    const { answers, prompt } = await run({
      node,
      memory,
      threadId: "bob",
      turns: [[call("grep", { pattern: "I am" }), call("ls", { path: "/memories" })]],
    });
    expect(answers).toEqual([["/memories/AGENTS.md:\n  1: I am bob.", "/memories/AGENTS.md (9 bytes)"]]);
    expect(prompt).toContain("I am bob.");
    expect(prompt).not.toContain("ada@example.com");
    expect(await node.memory("ada@example.com").read("/AGENTS.md")).toBe("I am ada@example.com.");
  });

  it("uses the agent's store where its node has none", async () => {
    const address = freshAddress();
    const store = new InMemoryStore();
    await run({ node: new MemoryNode(address), store, turns: [[write("/memories/f.md", "x")]] });
    expect(await new MemoryNode({ ...address, store }).memory().read("/f.md")).toBe("x");
  });
});

describe("a deep agent whose storage fails", () => {
  it("is told so by every tool, and goes on", async () => {
    const store = new FailingStore();
    store.isAway = true;
    const { answers, text } = await run({
      node: new MemoryNode({ store, ...freshAddress() }),
      turns: [
        [write("/memories/f.md", "x"), edit("/memories/f.md", "x", "y"), read("/memories/f.md")],
        [call("ls", { path: "/memories" }), call("glob", { pattern: "*", path: "/memories" })],
        [call("grep", { pattern: "x", path: "/memories" }), call("delete", { file_path: "/memories/f.md" })],
      ],
    });
    const starts = ["", "", "", " listing files", " finding files", "", ""];
    expect(answers.flat()).toEqual(
      starts.map((start) =>
        expect.stringMatching(new RegExp(`^Error${start}: EIO: the store failed to (?:read|write)`)),
      ),
    );
    expect(text).toBe("done");
  });

  it("goes on without its memory, which the program is told of", async () => {
    jest.spyOn(console, "debug").mockImplementation(() => {});
    const store = new FailingStore();
    store.isAway = true;
    const told: string[] = [];
    const node = new MemoryNode({ store, ...freshAddress() });
    const options = {
      node,
      memory: ["/memories/AGENTS.md"],
      turns: [],
      onError: ({ code }: MemoryError) => void told.push(code),
    };
    expect(await run(options)).toMatchObject({ text: "done", prompt: expect.stringContaining("(No memory loaded)") });
    expect(told).toEqual(["EIO"]);
    jest.restoreAllMocks();
  });
});

it("the history of a memory names the run, thread and user of a deep agent, of its subagents too", async () => {
  const memory = new MongoMemoryStore({ client, dbName, memoriesCollection: "recorded", history: true }).memory(
    freshAddress(),
  );
  const turns: (ScriptedCall[] | string)[] = [
    [write("/memories/a.md", "x")],
    [call("task", { description: "go", subagent_type: "general-purpose" })],
    [write("/memories/b.md", "x")],
    "done",
    "done",
  ];
  const model = new ScriptedChatModel(() => turns.shift() ?? "done");
  const agent = createDeepAgent({
    model,
    backend: new CompositeBackend(new StateBackend(), { "/memories/": new DeepAgentsBackend(memory) }),
  });
  await agent.invoke(
    { messages: [new HumanMessage("go")] },
    { configurable: { thread_id: "t", user_id: "ada", run_id: "r" } },
  );
  const actors: unknown[] = [];
  for await (const { actor } of memory.history?.list() ?? []) actors.unshift(actor);
  const own = { userId: "ada", threadId: "t", runId: "r", node: "tools" };
  expect(actors).toEqual([
    { ...own, toolCallId: "call-1" },
    { ...own, toolCallId: "call-3", agent: "general-purpose" },
  ]);
});
