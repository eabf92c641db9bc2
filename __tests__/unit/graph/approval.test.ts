import { describe, expect, it, jest } from "@jest/globals";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Command,
  InMemoryStore,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createDeepAgent } from "deepagents";
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, toolRetryMiddleware } from "langchain";
import {
  type Memory,
  mountMemories,
  MemoryTool,
  Agent,
  MemoryNode,
  type MemoryNodeOptions,
  openMemory,
} from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { build, graphOf, node as templateNode } from "../../helpers/graph-definitions.js";
import { createStumblingTool, waysOfRunning, withRetries } from "../../helpers/repeated-runs.js";
import { type ScriptedCall, ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

const config = { configurable: { thread_id: "t" } };
const input = { messages: [{ role: "user" as const, content: "go" }] };
const approved = { decisions: [{ type: "approve" }] };

interface Review {
  name: string;
  args: Record<string, string>;
  description: string;
}

interface Reply {
  messages: BaseMessage[];
  __interrupt__?: { id: string; value: { actionRequests: Review[]; reviewConfigs: unknown } }[];
}

/** Of a graph with a checkpointer. */
interface Runnable {
  invoke(input: unknown, options: unknown): Promise<unknown>;
}

const asking = { rules: [{ path: "/**", access: "ask" as const }] };

function freshMemory(options: Partial<MemoryNodeOptions> = asking): { node: MemoryNode; free: Memory } {
  const store = new InMemoryStore();
  return {
    node: new MemoryNode({ store, nodeId: "assistant", ...options }),
    free: openMemory(store, { nodeId: "assistant" }),
  };
}

/** Calls the tools once, then answers. */
function modelThatCalls(...calls: ScriptedCall[]): ScriptedChatModel {
  return new ScriptedChatModel((messages) => (messages.at(-1)?.getType() === "tool" ? "done" : calls));
}

const byUnified = (args: Record<string, string>): ScriptedCall => ({ tool: "memory", args });
const append = (path: string, content: string): ScriptedCall => byUnified({ command: "append", path, content });
const deleteOf = (path: string): ScriptedCall => byUnified({ command: "delete", path });

/** @param others middlewares around the memory's tools */
function agentThatCalls(node: MemoryNode, calls: ScriptedCall[], ...others: unknown[]) {
  return createAgent({
    model: modelThatCalls(...calls),
    middleware: [memoryMiddleware({ memory: node }), ...(others as AgentMiddleware[])],
    checkpointer: new MemorySaver(),
  });
}

const start = async (agent: Runnable): Promise<Reply> => (await agent.invoke(input, config)) as Reply;
const resume = async (agent: Runnable, answer: unknown, from: object = config): Promise<Reply> =>
  (await agent.invoke(new Command({ resume: answer }), from)) as Reply;

const getReviews = (reply: Reply): Review[] => (reply.__interrupt__ ?? []).flatMap(({ value }) => value.actionRequests);
const toolTexts = ({ messages }: Reply): string[] =>
  messages.filter((message) => message.getType() === "tool").map(({ text }) => text);

async function readTexts(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(
    files.filter(({ path }) => !path.startsWith("/.journal")).map(({ path, content }) => [path, content]),
  );
}

/** Runs an agent up to its questions. */
async function ask(options: Partial<MemoryNodeOptions>, files: Record<string, string>, ...calls: ScriptedCall[]) {
  const { node, free } = freshMemory(options);
  for (const [path, text] of Object.entries(files)) await free.write(path, text);
  const agent = agentThatCalls(node, calls);
  const reply = await start(agent);
  return { agent, free, reply, reviews: getReviews(reply) };
}

type Tools = ConstructorParameters<typeof ToolNode>[0];

/** A call, and the tools that make it. */
type Change = [createTools: (node: MemoryNode) => Tools, call: ScriptedCall];

const byNode = ({ memoryTools }: MemoryNode): Tools => memoryTools;
const byClaude = (node: MemoryNode): Tools => [createClaudeMemoryTool(node)];
const addRecord = { tool: "add_memory", args: { path: "a", content: "x" } };

describe("a change that asks", () => {
  it("waits with the request of LangChain's middleware, and is made when a person approves", async () => {
    const { agent, free, reply } = await ask(asking, { "/a": "one" }, append("/a", "two"));
    expect(reply.__interrupt__?.[0]?.value).toEqual({
      actionRequests: [
        {
          name: "memory",
          args: { command: "append", path: "/a", content: "two" },
          description:
            "A change of the memory needs approval: append /a\n\n--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n one\n+two\n",
        },
      ],
      reviewConfigs: [{ actionName: "memory", allowedDecisions: ["approve", "edit", "reject"] }],
    });
    expect(await readTexts(free)).toEqual({ "/a": "one" });
    expect(toolTexts(await resume(agent, approved))).toEqual([
      '{"command":"append","path":"/a","ok":true,"result":{"status":"ok"}}',
    ]);
    expect(await readTexts(free)).toEqual({ "/a": "one\ntwo" });
  });

  it("keeps the log of the node where everything is deleted, and a person sees what goes", async () => {
    const files = { "/conversations/day.md": "log", "/notes/a": "one" };
    const { agent, free, reviews } = await ask({ ...asking, log: true }, files, deleteOf("/"));
    expect(reviews[0]?.description).toContain("- /notes/\n- /notes/a (3 bytes)\n");
    expect(reviews[0]?.description).not.toContain("/conversations");
    // What stays is no base of the change.
    await free.append("/conversations/day.md", "more");
    expect(toolTexts(await resume(agent, approved))).toEqual([expect.stringContaining('"files":1')]);
    for (const directory of (await free.snapshot()).directories) expect(directory).toMatch(/^\/conversations/);
    expect(await readTexts(free)).toMatchObject({ "/conversations/day.md": "log\nmore" });
  });

  it("is refused without a question where only the log could go", async () => {
    const files = { "/conversations/day.md": "log" };
    const { reply, reviews } = await ask({ ...asking, log: true }, files, deleteOf("/"));
    expect(reviews).toEqual([]);
    expect(toolTexts(reply)).toEqual([expect.stringContaining("/conversations is all that is left")]);
  });

  it("is the delete of a directory too, where a rule asks about a file below it", async () => {
    const rules = [{ path: "/notes/safety", access: "ask" as const }];
    const { agent, free, reviews } = await ask({ rules }, { "/notes/safety": "one" }, deleteOf("/notes"));
    expect(reviews).toHaveLength(1);
    await resume(agent, approved);
    expect(await readTexts(free)).toEqual({});
  });

  const strReplace = { command: "str_replace", path: "/memories/a", old_str: "one", new_str: "two" };
  it.each<[before: string, ...change: Change, content: string, after: string, shown: RegExp]>([
    ["", byNode, append("/a", "two"), "2", "2", /"status":"ok"/],
    ["one\r\n", byNode, append("/a", "two\n"), "2\n3\n", "one\r\n2\r\n3\r\n", /"ok"/],
    ["one\n", byClaude, byUnified(strReplace), "2\n", "2\n", /^The memory file has been edited.*\n {5}1\t2$/],
    ["one\n", byClaude, byUnified(strReplace), "one\n", "one\n", /^The memory file has been edited.*\n {5}1\tone$/],
    ["", createRecordTools, addRecord, "2", "2", /content_size: 1\n/],
  ])(
    "of %j is made as a person has edited it, and the model is shown what was stored (%#)",
    async (before, createTools, call, content, after, shown) => {
      const { node, free } = freshMemory();
      if (before !== "") await free.write("/a", before);
      const agent = graphWith(createTools(node), call);
      const [review] = getReviews(await start(agent));
      const editedAction = { name: call.tool, args: { ...review?.args, content } };
      const [answer] = toolTexts(await resume(agent, { decisions: [{ type: "edit", editedAction }] }));
      expect(answer).toMatch(shown);
      expect(await readTexts(free)).toEqual({ "/a": after });
    },
  );

  it("is refused with the words of the person who rejects it", async () => {
    const { agent, free } = await ask(asking, {}, append("/a", "two"));
    const [answer = ""] = toolTexts(await resume(agent, { decisions: [{ type: "reject", message: "not now" }] }));
    expect(JSON.parse(answer)).toMatchObject({
      ok: false,
      error: { code: "EACCES", message: "EACCES: /a was not changed: a person rejected it: not now" },
    });
    expect(await readTexts(free)).toEqual({});
  });

  const args = { command: "append", path: "/a", content: "two" };
  const edit = (changed: object, name = "memory"): object => ({
    decisions: [{ type: "edit", editedAction: { name, args: { ...args, ...changed } } }],
  });
  it.each<[string, unknown]>([
    ["another path", edit({ path: "/b" })],
    ["another command", edit({ command: "write" })],
    ["another tool", edit({}, "other")],
    ["an argument that there is not", edit({ to: "/b" })],
    ["a content that is no text", edit({ content: 7 })],
    ["an edit without arguments", { decisions: [{ type: "edit" }] }],
    ["no decision", { decisions: [] }],
    ["two decisions", { decisions: [{ type: "approve" }, { type: "approve" }] }],
    ["another kind of decision", { decisions: [{ type: "ignore" }] }],
    ["a list", [{ type: "approve" }]],
    ["a text", "approve"],
    ["true", true],
  ])("is refused where the answer is %s", async (_name, answer) => {
    const { agent, free } = await ask(asking, {}, append("/a", "two"));
    expect(toolTexts(await resume(agent, answer))[0]).toContain(
      "EACCES: /a was not changed, because it was not approved",
    );
    expect(await readTexts(free)).toEqual({});
  });

  it("gets along with LangChain's middleware on the same tool, each asking its own question", async () => {
    const { node, free } = freshMemory();
    // Its types do not take its own options under exactOptionalPropertyTypes.
    const theirs = humanInTheLoopMiddleware({ interruptOn: { memory: true } } as never);
    const agent = agentThatCalls(node, [append("/a", "two")], theirs);
    const [first] = getReviews(await start(agent));
    const [second] = getReviews(await resume(agent, approved));
    expect([first?.args, second?.args]).toEqual([args, args]);
    expect(await readTexts(free)).toEqual({});
    await resume(agent, approved);
    expect(await readTexts(free)).toEqual({ "/a": "two" });
  });
});

describe("every way in asks", () => {
  const byAppend = append("/a", "x");
  const model = modelThatCalls(byAppend);
  const create = byUnified({ command: "create", path: "/memories/a", file_text: "x" });
  const rename = byUnified({ command: "rename", old_path: "/memories/b", new_path: "/memories/a" });
  const writeFile = modelThatCalls({ tool: "write_file", args: { file_path: "/a", content: "x" } });
  const byJournal = { tool: "memory_write", args: { key: "k", content: "x" } };
  const clear = { tool: "clear_memory", args: {} };
  const checkpointer = new MemorySaver();

  it.each<[string, (node: MemoryNode, free: Memory) => Runnable, Record<string, string>?]>([
    ["our agent", (node) => new Agent({ model, tools: node.memoryTools, checkpointer })],
    ["a ToolNode", (node) => graphWith(node.memoryTools, byAppend)],
    ["a tree of mounts without a node", (_node, free) => graphWith([toolOfMounts(free)], byAppend)],
    ["Claude's create", (node) => graphWith(byClaude(node), create)],
    ["Claude's rename", (node) => graphWith(byClaude(node), rename), { "/a": "old" }],
    [
      "the journal",
      (node) => graphWith(createJournalTools(node, { clock: () => new Date(0) }), byJournal),
      { "/1970/01/01.md": expect.stringContaining("x") as unknown as string, "/b": "old" },
    ],
    ["the records' add_memory", (node) => graphWith(createRecordTools(node), addRecord)],
    ["the records' clear_memory", (node) => graphWith(createRecordTools(node), clear), {}],
    ["deepagents", (node) => createDeepAgent({ model: writeFile, backend: new DeepAgentsBackend(node), checkpointer })],
    ["an agent as a subgraph", (node) => createSubgraphs(node, byAppend)],
    ["a node that changes the memory of its run", (node) => graphOfNode(node, (memory) => memory.append("/a", "x"))],
  ])("%s", async (thread_id, make, expected = { "/a": "x", "/b": "old" }) => {
    const { node, free } = freshMemory();
    await free.write("/b", "old");
    const agent = make(node, free);
    const run = { configurable: { thread_id } };
    expect(getReviews((await agent.invoke(input, run)) as Reply)).toHaveLength(1);
    expect(await readTexts(free)).toEqual({ "/b": "old" });
    expect(getReviews(await resume(agent, approved, run))).toEqual([]);
    expect(await readTexts(free)).toEqual(expected);
  });

  it("mounts of a node, by the paths of its tree", async () => {
    const { node, free } = freshMemory({ mounts: { "/team": { nodeId: "team", access: "ask" } } });
    const agent = agentThatCalls(node, [append("/team/a", "x"), append("/own", "x")]);
    const [review] = getReviews(await start(agent));
    expect(review?.args).toEqual({ command: "append", path: "/team/a", content: "x" });
    expect(review?.description).toContain("+++ b/team/a\n");
    await resume(agent, approved);
    expect([await readTexts(free), await node.memory().read("/team/a")]).toEqual([{ "/own": "x" }, "x"]);
  });

  it("a graph template, whose tool says so", () => {
    const built = build(graphOf([templateNode("M", "memory", { ...asking, onAsk: "interrupt" })]));
    expect(built.memory("M").memoryTools[0]?.description).toContain(
      "/** is writable with approval: a person is asked about each change.",
    );
  });
});

describe("several questions", () => {
  it("of parallel calls in createAgent are answered each by its id", async () => {
    const {
      agent,
      free,
      reply: first,
    } = await ask(asking, {}, append("/a", "x"), append("/b", "y"), append("/a", "z"));
    const asked = first.__interrupt__ ?? [];
    // The first question is that of the call which was ready first.
    const contents = asked.map(({ value }) => value.actionRequests[0]?.args["content"]);
    expect(new Set(contents)).toEqual(new Set(["x", "y", "z"]));
    const rejected = { decisions: [{ type: "reject" }] };
    const answers = Object.fromEntries(
      asked.map(({ id }, index) => [id, contents[index] === "x" ? approved : rejected]),
    );
    const reply = await resume(agent, answers);
    expect(toolTexts(reply).map((text) => (JSON.parse(text) as { ok: boolean }).ok)).toEqual([true, false, false]);
    expect(await readTexts(free)).toEqual({ "/a": "x" });
  });

  it("of parallel calls in createAgent need no id for the last one", async () => {
    const { agent, free, reply } = await ask(asking, {}, append("/a", "x"), append("/b", "y"), append("/c", "z"));
    const [first, second] = reply.__interrupt__ ?? [];
    await resume(agent, { [first?.id ?? ""]: approved });
    expect(getReviews(await resume(agent, { [second?.id ?? ""]: approved }))).toHaveLength(1);
    expect(getReviews(await resume(agent, approved))).toEqual([]);
    expect(await readTexts(free)).toEqual({ "/a": "x", "/b": "y", "/c": "z" });
  });

  it("of parallel calls in a ToolNode come one after the other, and each answer is for what was shown", async () => {
    const { node, free } = freshMemory();
    const agent = graphWith(node.memoryTools, append("/a", "x"), append("/b", "y"), append("/c", "z"));
    const seen: string[] = [];
    let reply = await start(agent);
    for (let [review] = getReviews(reply); review !== undefined; [review] = getReviews(reply)) {
      seen.push(review.args["path"] ?? "");
      reply = await resume(agent, review.args["path"] === "/b" ? { decisions: [{ type: "reject" }] } : approved);
    }
    expect(seen.toSorted()).toEqual(["/a", "/b", "/c"]);
    expect(await readTexts(free)).toEqual({ "/a": "x", "/c": "z" });
  });

  it("are not asked again if the task is tried again after the answer", async () => {
    const { node, free } = freshMemory();
    const stumbling = createStumblingTool(["passes", "error"], node.memoryTools);
    const graph = waysOfRunning["a ToolNode"]({
      model: modelThatCalls(append("/a", "x"), { tool: stumbling.name, args: {} }),
      tools: [...node.memoryTools, stumbling],
      checkpointer: new MemorySaver(),
    });
    const agent = withRetries(graph);
    await start(agent);
    const reply = await resume(agent, approved);
    expect(getReviews(reply)).toEqual([]);
    expect(await readTexts(free)).toEqual({ "/a": "x" });
  });

  it("never take the answer to another tool's question", async () => {
    const { node, free } = freshMemory();
    const other = tool(async () => JSON.stringify(interrupt("another question")), {
      name: "other",
      description: "asks",
      schema: { type: "object", properties: {} },
    });
    const agent = graphWith([...node.memoryTools, other], append("/a", "x"), { tool: "other", args: {} });
    let reply = await start(agent);
    for (let round = 0; round < 6 && reply.__interrupt__ !== undefined; round += 1) {
      const isOther = (reply.__interrupt__[0]?.value as unknown) === "another question";
      reply = await resume(agent, isOther ? approved : { decisions: [{ type: "reject" }] });
    }
    expect(await readTexts(free)).toEqual({});
  });
});

describe("an answer that names none of several questions", () => {
  const questions = [append("/refunds", "14 days"), deleteOf("/safety")];
  const askBoth = () => ask(asking, { "/safety": "keep" }, ...questions);

  it.each<[string, (node: MemoryNode) => Runnable]>([
    ["createAgent", (node) => agentThatCalls(node, questions)],
    ["two agents side by side as subgraphs", (node) => createSubgraphs(node, ...questions)],
  ])("decides none of them, and says how to answer: %s", async (_name, make) => {
    const { node, free } = freshMemory();
    await free.write("/safety", "keep");
    const agent = make(node);
    const asked = await start(agent);
    expect(asked.__interrupt__).toHaveLength(2);
    const again = await resume(agent, approved);
    expect(again.__interrupt__?.map(({ id }) => id).toSorted()).toEqual(
      asked.__interrupt__?.map(({ id }) => id).toSorted(),
    );
    for (const { description } of getReviews(again))
      expect(description).toMatch(/^This step has 2 questions, .*Answer each question by its id: .*\n\nA change/u);
    expect(await readTexts(free)).toEqual({ "/safety": "keep" });

    const answers = again.__interrupt__?.map(({ id, value }) => {
      const isAppend = value.actionRequests[0]?.args["command"] === "append";
      return [id, { decisions: [{ type: isAppend ? "approve" : "reject" }] }] as const;
    });
    expect(getReviews(await resume(agent, Object.fromEntries(answers ?? [])))).toEqual([]);
    expect(await readTexts(free)).toEqual({ "/refunds": "14 days", "/safety": "keep" });
  });

  it("decides all of them if it has the same decision for each", async () => {
    const { agent, free } = await askBoth();
    const decision = { type: "approve" };
    expect(getReviews(await resume(agent, { decisions: [decision, decision] }))).toEqual([]);
    expect(await readTexts(free)).toEqual({ "/refunds": "14 days" });
  });

  it("decides none in a run that begins at the checkpoint of the questions", async () => {
    const { agent, free } = await askBoth();
    const { config: asked } = await agent.graph.getState(config);
    expect(getReviews(await resume(agent.graph as never, approved, asked))).toHaveLength(2);
    expect(await readTexts(free)).toEqual({ "/safety": "keep" });
  });

  it("stays without effect when one question is answered by its id, and the other is left open", async () => {
    const { agent, free, reply } = await askBoth();
    await resume(agent, approved);
    const questionAbout = (path: string) =>
      reply.__interrupt__?.find(({ value }) => value.actionRequests[0]?.args["path"] === path);
    const after = await resume(agent, { [questionAbout("/refunds")?.id ?? ""]: approved });
    expect(after.__interrupt__?.map(({ id }) => id)).toEqual([questionAbout("/safety")?.id]);
    expect(await readTexts(free)).toEqual({ "/refunds": "14 days", "/safety": "keep" });
    // LangGraph still has the first answer, and gives it to each run.
    expect(getReviews((await (agent as Runnable).invoke(null, config)) as Reply)).toHaveLength(1);
    expect(await readTexts(free)).toEqual({ "/refunds": "14 days", "/safety": "keep" });
  });
});

describe("random turns", () => {
  const decisions = [
    { type: "approve" },
    { type: "reject" },
    { type: "reject", message: "no" },
    { type: "edit", editedAction: { name: "memory", args: { content: "edited" } } },
    { type: "ignore" },
  ];
  const decision = fc.constantFrom(...decisions);
  // An answer to all questions at once, or one by the id of each question that has a decision.
  const answer = fc.oneof(
    fc.record({ unnamed: fc.array(decision, { maxLength: 5 }) }),
    fc.constant({ unnamed: decisions.slice(0, 1) }),
    fc.record({ named: fc.array(fc.option(decision), { minLength: 5, maxLength: 5 }) }),
    fc.constant({ nothing: true }),
  );

  it("of one to five questions make only what was shown and approved", async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(answer, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (count, answers, isOneTask) => {
          const { node, free } = freshMemory();
          const calls = Array.from({ length: count }, (_, index) => append(`/f${index}`, "x"));
          const agent = isOneTask ? graphWith(node.memoryTools, ...calls) : agentThatCalls(node, calls);
          const allowed: Record<string, string> = {};
          let reply = await start(agent);
          for (const given of answers) {
            const asked = reply.__interrupt__ ?? [];
            if (asked.length === 0) break;
            if ("nothing" in given) continue;
            const decided = decide(given, asked);
            for (const [path, type] of decided.allowed) allowed[path] = type === "edit" ? "edited" : "x";
            reply = await resume(agent, decided.answer);
            const texts = await readTexts(free);
            for (const [path, text] of Object.entries(texts)) expect([path, text]).toEqual([path, allowed[path]]);
          }
        },
      ),
      { usual: 12, long: 1000 },
    );
  });

  type Given = { unnamed: (typeof decisions)[number][] } | { named: ((typeof decisions)[number] | null)[] };

  /** What a client sends, and which of the changes it has shown may be made by that. */
  function decide(
    given: Given,
    asked: NonNullable<Reply["__interrupt__"]>,
  ): { answer: unknown; allowed: [string, string][] } {
    const paths = asked.map(({ value }) => value.actionRequests[0]?.args["path"] ?? "");
    if ("unnamed" in given) {
      const [first] = given.unnamed;
      const isForAll = given.unnamed.length === asked.length && given.unnamed.every((one) => one === first);
      const types = isForAll && first !== undefined ? paths.map((path): [string, string] => [path, first.type]) : [];
      return { answer: { decisions: given.unnamed }, allowed: types.filter(isConsent) };
    }
    const named = asked.flatMap(({ id }, index) => {
      const one = given.named[index];
      return one ? [{ id, one, path: paths[index] ?? "" }] : [];
    });
    return {
      answer: Object.fromEntries(named.map(({ id, one }) => [id, { decisions: [one] }])),
      allowed: named.map(({ path, one }): [string, string] => [path, one.type]).filter(isConsent),
    };
  }

  const isConsent = ([, type]: [string, string]): boolean => type === "approve" || type === "edit";
});

describe("what was approved", () => {
  it("is asked again if the text has changed meanwhile", async () => {
    const { agent, free } = await ask(asking, { "/a": "one" }, append("/a", "two"));
    await free.write("/a", "other");
    const again = await resume(agent, approved);
    expect(getReviews(again)[0]?.description).toContain("\n other\n+two");
    expect(await readTexts(free)).toEqual({ "/a": "other" });
    await resume(agent, approved);
    expect(await readTexts(free)).toEqual({ "/a": "other\ntwo" });
  });

  it("is what is stored, though the call would write another text now", async () => {
    const { node, free } = freshMemory();
    let time = 0;
    const graph = graphOfNode(node, (memory) => memory.write("/a", `at ${(time += 1)}`));
    expect(getReviews(await start(graph))[0]?.args["content"]).toBe("at 1");
    await resume(graph, approved);
    expect([time, await readTexts(free)]).toEqual([2, { "/a": "at 1" }]);
  });

  it("is made once when the same interrupt is resumed twice", async () => {
    const { agent, free } = await ask(asking, {}, append("/a", "x"));
    const { config: asked } = await agent.graph.getState(config);
    for (let time = 0; time < 3; time += 1)
      expect(toolTexts(await resume(agent.graph as never, approved, asked))[0]).toContain('"ok":true');
    expect(await readTexts(free)).toEqual({ "/a": "x" });
  });

  it("has passed the guard before it is shown, and after it was edited", async () => {
    const guard = ({ content }: { content: string }): string => {
      if (content.includes("forbidden")) throw new Error("no such text");
      return content.replaceAll("secret", "[hidden]");
    };
    const edited = (content: string): object => ({
      decisions: [{ type: "edit", editedAction: { name: "memory", args: { content } } }],
    });
    const { agent, free, reviews } = await ask({ ...asking, guard }, {}, append("/a", "my secret"));
    expect(reviews[0]?.args["content"]).toBe("my [hidden]");
    await resume(agent, edited("your secret"));
    expect(await readTexts(free)).toEqual({ "/a": "your [hidden]" });
    const other = await ask({ ...asking, guard }, {}, append("/b", "fine"));
    expect(toolTexts(await resume(other.agent, edited("forbidden")))[0]).toContain("EACCES: no such text");
    expect(await readTexts(other.free)).toEqual({});
  });
});

describe("a question that something around the tool catches", () => {
  it("is told once as a warning, and changes nothing", async () => {
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
    for (let run = 0; run < 2; run += 1) {
      const { node, free } = freshMemory();
      const retrying = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 });
      const agent = agentThatCalls(node, [append("/a", "x")], retrying);
      expect(toolTexts(await start(agent))).toEqual(["Tool 'memory' failed after 3 attempts with GraphInterrupt"]);
      expect(await readTexts(free)).toEqual({});
    }
    const warnings = warn.mock.calls.map(([message]) => String(message));
    warn.mockRestore();
    expect(warnings.filter((message) => message.includes("toolRetryMiddleware"))).toEqual([
      expect.stringContaining("give it `tools` without the memory's tools"),
    ]);
  });
});

describe("where nobody can be asked", () => {
  it.each<[string, (node: MemoryNode) => Promise<unknown>, string]>([
    ["a program's own call", (node) => node.memory().append("/a", "x"), "part of no run with a checkpointer"],
    [
      "a tool outside of a run",
      async (node) => {
        throw new Error(String(await node.memoryTools[0]?.invoke({ command: "append", path: "/a", content: "x" })));
      },
      "part of no run with a checkpointer",
    ],
    [
      "a graph without a checkpointer",
      async (node) => {
        const agent = createAgent({
          model: modelThatCalls(append("/a", "x")),
          middleware: [memoryMiddleware({ memory: node })],
        });
        throw new Error(toolTexts(await start(agent)).join());
      },
      'give the graph one, or set onAsk: \\"propose\\"',
    ],
  ])("%s is EACCES with what would do", async (_name, change, words) => {
    const { node, free } = freshMemory();
    await expect(change(node)).rejects.toThrow(words);
    expect(await readTexts(free)).toEqual({});
  });

  it("proposals need a store that keeps them", async () => {
    const { node, free } = freshMemory({ ...asking, onAsk: "propose" });
    await expect(node.memory().append("/a", "x")).rejects.toThrow(
      'proposals are kept in a MongoMemoryStore only: use one, or set onAsk: "interrupt"',
    );
    expect([await readTexts(free), free.proposals, mountMemories({ "/": free }).proposals]).toEqual([{}, null, null]);
  });

  it("an unknown onAsk is refused when it is given", () => {
    expect(() => freshMemory({ onAsk: "later" as never })).toThrow(
      'onAsk: must be "interrupt" or "propose" (given "later")',
    );
  });
});

function toolOfMounts(memory: Memory): MemoryTool {
  return new MemoryTool({ memory: mountMemories({ "/": { memory, access: "ask" } }) });
}

/** One node that runs all calls. */
function graphWith(tools: Tools, ...calls: ScriptedCall[]): Runnable {
  const toolCalls = calls.map(({ tool: name, args }, index) => ({
    id: `call-${index}`,
    name,
    args,
    type: "tool_call" as const,
  }));
  return new StateGraph(MessagesAnnotation)
    .addNode("model", () => ({ messages: [new AIMessage({ content: "", tool_calls: toolCalls })] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addEdge("model", "tools")
    .compile({ checkpointer: new MemorySaver() });
}

/** An agent for each call, side by side. */
function createSubgraphs(node: MemoryNode, ...calls: ScriptedCall[]): Runnable {
  const graph = new StateGraph(MessagesAnnotation);
  for (const [index, call] of calls.entries()) {
    const agent = createAgent({ model: modelThatCalls(call), middleware: [memoryMiddleware({ memory: node })] });
    graph.addNode(`agent${index}`, agent.graph as never).addEdge(START, `agent${index}` as never);
  }
  return graph.compile({ checkpointer: new MemorySaver() });
}

/** A node that changes the memory of its run. */
function graphOfNode(node: MemoryNode, change: (memory: Memory) => Promise<unknown>): Runnable {
  return new StateGraph(MessagesAnnotation)
    .addNode("write", async (_state, run) => {
      await change(await node.memoryForRun({ config: run }));
      return {};
    })
    .addEdge(START, "write")
    .compile({ checkpointer: new MemorySaver() });
}
