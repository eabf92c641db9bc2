import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, jest } from "@jest/globals";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { MongoClient } from "mongodb";
import { ScriptedChatModel, type ScriptedCall } from "../../helpers/scripted-chat-model.js";
import { type MemoryError, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

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

describe.each(storesUnderTest())("a deep agent on %s", (_name, open) => {
  const freshNode = (): MemoryNode => new MemoryNode({ store: open(), ...freshAddress() });

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
    await node
      .memory()

      .write("/list.md", indices.map((index) => `- item ${index}.\n`).join(""));
    const { answers } = await run({
      node,
      turns: [indices.map((index) => edit("/memories/list.md", `item ${index}.`, `done ${index}.`))],
    });
    expect(answers).toEqual([indices.map(() => "Successfully replaced 1 occurrence(s) in '/memories/list.md'")]);
    expect(await node.memory().read("/list.md")).toBe(indices.map((index) => `- done ${index}.\n`).join(""));
  });

  it("says which of contradicting edits of one turn did not land", async () => {
    const node = freshNode();
    await node.memory().write("/f.md", "who?");
    const { answers } = await run({
      node,
      turns: [["ada", "bob", "cyd"].map((name) => edit("/memories/f.md", "who?", name))],
    });
    const landed = (answers[0] ?? []).findIndex((answer) => answer.startsWith("Successfully"));
    expect(await node.memory().read("/f.md")).toBe(["ada", "bob", "cyd"][landed]);
    expect(answers[0]?.filter((_, index) => index !== landed)).toEqual(
      Array(2).fill("Error: String not found in file: 'who?'"),
    );
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
    const node = new MemoryNode({ store: open(), ...freshAddress(), scope: "perThread" });
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
    await run({ node: new MemoryNode(address), store: open(), turns: [[write("/memories/f.md", "x")]] });
    expect(await new MemoryNode({ ...address, store: open() }).memory().read("/f.md")).toBe("x");
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
    const failures = [
      "Error: ",
      "Error: ",
      "Error: ",
      "Error listing files: ",
      "Error finding files: ",
      "Error: ",
      "Error: ",
    ];
    expect(answers.flat()).toEqual(
      failures.map((start) => expect.stringMatching(new RegExp(`^${start}EIO: the store failed to (?:read|write)`))),
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

  it("is told so where its run has no thread", async () => {
    const node = new MemoryNode({ store: new FailingStore(), ...freshAddress(), scope: "perThread" });
    const { answers, text } = await run({ node, threadId: "", turns: [[write("/memories/f.md", "x")]] });
    expect(answers).toEqual([["Error: thread_id is required for perThread scope"]]);
    expect(text).toBe("done");
  });
});

describe("two programs", () => {
  const database = testDatabase();
  const [one, other] = [useClient(new MongoClient(database.uri)), useClient(new MongoClient(database.uri))];

  it("edit one file at once and lose nothing", async () => {
    const address = freshAddress();
    const open = (client: MongoClient): DeepAgentsBackend =>
      new DeepAgentsBackend(new MongoMemoryStore({ client, dbName: database.name }).memory(address));
    const [here, there] = [open(one), open(other)];
    const indices = Array.from({ length: 50 }, (_, index) => index);
    await here.write("/f.md", indices.map((index) => `<${index}>\n`).join(""));
    const answers = await Promise.all(
      indices.map((index) => (index % 2 === 0 ? here : there).edit("/f.md", `<${index}>`, `done ${index}`)),
    );
    expect(answers).toEqual(indices.map(() => ({ path: "/f.md", filesUpdate: null, occurrences: 1 })));
    expect((await there.read("/f.md")).content).toBe(indices.map((index) => `done ${index}\n`).join(""));
  });
});

describe("server commands", () => {
  const database = testDatabase();
  const client = useClient(new MongoClient(database.uri, { monitorCommands: true }));
  const store = new MongoMemoryStore({ client, dbName: database.name });

  it.each<[string, number, (backend: DeepAgentsBackend) => Promise<unknown>]>([
    ["ls", 1, (backend) => backend.ls("/")],
    ["read", 1, (backend) => backend.read("/d/f.md")],
    ["readRaw", 1, (backend) => backend.readRaw("/d/f.md")],
    ["write", 1, (backend) => backend.write("/d/new.md", "x")],
    ["edit", 2, (backend) => backend.edit("/d/f.md", "text", "x")],
    ["grep", 1, (backend) => backend.grep("text")],
    ["glob", 1, (backend) => backend.glob("**")],
    ["delete", 1, (backend) => backend.delete("/d")],
    ["downloadFiles of one", 1, (backend) => backend.downloadFiles(["/d/f.md"])],
    ["downloadFiles of three", 1, (backend) => backend.downloadFiles(["/d/f.md", "/d/g.md", "/none"])],
    [
      "uploadFiles of two",
      2,
      (backend) =>
        backend.uploadFiles([
          ["/u", new Uint8Array()],
          ["/v", new Uint8Array()],
        ]),
    ],
  ])("of %s are %d", async (_name, count, operate) => {
    const memory = store.memory(freshAddress());
    for (const path of ["/d/f.md", "/d/g.md"]) await memory.write(path, "text");
    expect(await commandsOf(client, () => operate(new DeepAgentsBackend(memory)))).toHaveLength(count);
  });
});

it("the history of a memory names the run, thread and user of a deep agent, of its subagents too", async () => {
  const { client, name: dbName } = testDatabase();
  const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
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
