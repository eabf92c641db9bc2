import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import {
  Agent,
  createMemoryPrompt,
  type Memory,
  type MemoryConnectorConfig,
  MemoryConnectorNode,
  type MemoryError,
  MemoryNode,
  type MemoryScope,
  openMemory,
} from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type Script, ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { auto, getTurnPart, writeManyNotes } from "../../helpers/turns.js";

const question = "What do the notes say about word7?";
const ask = (text = question, id?: string) => ({ messages: [new HumanMessage({ content: text, ...(id && { id }) })] });

/** Appends to the notes three times, and then answers. */
const writer: Script = (messages) => {
  const steps = messages.filter(({ type }) => type === "tool").length;
  return steps < 3
    ? { tool: "memory", args: { command: "append", path: "/notes/7", content: `word7 is new in step ${steps}.` } }
    : "done";
};

const answer: Script = () => "done";

/** The messages of a later call in the loop of tools of a turn. */
const afterTool = (messages: BaseMessage[]): BaseMessage[] => [
  ...messages,
  new AIMessage({ content: "", tool_calls: [{ id: "1", name: "memory", args: {} }] }),
  new ToolMessage({ content: "done", tool_call_id: "1" }),
];

async function nodeWithManyNotes(
  options: Partial<ConstructorParameters<typeof MemoryNode>[0]> = {},
): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore(), ...options });
  await writeManyNotes(node.globalMemory());
  return node;
}

/** A connector of many notes, and the part of the turn that it shows for messages, in one thread unless told otherwise. */
async function showManyNotes() {
  const node = await nodeWithManyNotes();
  const connector = node.createConnector(auto);
  const show = async (messages: BaseMessage[], text = question, threadId = "1") =>
    getTurnPart(await connector.inject(messages, thread(threadId)), text);
  return { memory: node.memory(), connector, show };
}

/** The parts of the turn in all calls of a model. */
const getParts = (model: ScriptedChatModel, text = question): string[] =>
  model.calls.map((messages) => getTurnPart(messages, text));

const thread = (thread_id: string, user_id?: string) => ({
  configurable: { thread_id, ...(user_id !== undefined && { user_id }) },
});

interface WayIn {
  model: ScriptedChatModel;
  node: MemoryNode;
  config?: MemoryConnectorConfig;
  checkpointer?: MemorySaver;
}

const waysIn: Record<string, (way: WayIn) => { invoke: (input: object, config?: object) => Promise<unknown> }> = {
  "an Agent": ({ model, node, config = auto, checkpointer }) =>
    new Agent({
      model,
      tools: node.memoryTools,
      memoryConnector: node.createConnector(config),
      ...(checkpointer && { checkpointer }),
    }),
  createAgent: ({ model, node, config = auto, checkpointer }) =>
    createAgent({
      model,
      tools: [],
      middleware: [memoryMiddleware({ memory: node, ...config })],
      ...(checkpointer && { checkpointer }),
    }) as never,
  createReactAgent: ({ model, node, config = auto, checkpointer }) =>
    createReactAgent({
      llm: model,
      tools: node.memoryTools,
      prompt: createMemoryPrompt({ connector: node.createConnector(config) }),
      ...(checkpointer && { checkpointer }),
    }) as never,
};

describe.each(Object.entries(waysIn))("the part of the turn in %s", (_name, createWayIn) => {
  it.each([
    ["in a thread", { checkpointer: new MemorySaver() }, thread("1")],
    ["without a thread", {}, {}],
  ])("is the same in a loop of tools %s", async (_case, options, config) => {
    const node = await nodeWithManyNotes();
    const model = new ScriptedChatModel(writer);
    const agent = createWayIn({ model, node, ...options });
    await agent.invoke(ask(), config);
    const parts = getParts(model);
    expect(parts).toHaveLength(4);
    expect(parts[0]).toMatch(/^<memory [^]*\| word7 is what[^]*<\/memory>\n\n$/);
    expect(new Set(parts).size).toBe(1);
    expect(await node.memory().read("/notes/7")).toContain("step 2");
  });

  it("follows the memory in the next turn, also with the same words", async () => {
    const node = await nodeWithManyNotes();
    const model = new ScriptedChatModel(answer);
    const agent = createWayIn({ model, node, checkpointer: new MemorySaver() });
    await agent.invoke(ask(), thread("1"));
    await node.memory().write("/notes/7", "word7 is blue.");
    await agent.invoke(ask(), thread("1"));
    expect(getParts(model)[1]).toContain("| word7 is blue.");
  });
});

/** Who asks, and whose notes the answer to the question must show. */
interface Asking {
  connector: MemoryConnectorNode;
  config: object;
  owner: string;
}

/** Each is a list of askers whose messages have the same id and text. */
const alike: [who: string, create: () => Promise<Asking[]>][] = [
  ["two users in a thread of one name", async () => createOwners("perUser", (user) => thread("main", user))],
  ["two threads", async () => createOwners("perThread", (id) => thread(id))],
  [
    "two users of a mount",
    async () => {
      const store = new InMemoryStore();
      const mounts = { "/own": { nodeId: "own", scope: "perUser" as const } };
      const node = new MemoryNode({ ...freshAddress(), store, mounts, userId: ({ context }) => String(context) });
      const open = (userId: string): Memory => openMemory(store, { nodeId: "own", scope: "perUser", userId });
      return createAskings(node, open, (context) => ({ ...thread("1"), context }));
    },
  ],
  [
    "two stores with a memory of one name",
    async () => {
      const stores = createStores();
      const open = (owner: string): Memory => openMemory(stores[owner] ?? new InMemoryStore(), { nodeId: "shared" });
      const node = new MemoryNode({ nodeId: "shared" });
      return createAskings(node, open, (owner) => ({ ...thread("1"), store: stores[owner] }));
    },
  ],
  [
    "two databases of a mount function with memories of one name",
    async () => {
      const stores = createStores();
      const open = (owner: string): Memory => openMemory(stores[owner] ?? new InMemoryStore(), { nodeId: "a" });
      const mounts = { "/notes-of-tenant": ({ context }: { context?: unknown }) => open(String(context)) };
      return createAskings(await nodeWithManyNotes({ mounts }), open, (context) => ({ ...thread("1"), context }));
    },
  ],
];

const owners = ["ada", "bob"];
const createStores = () => Object.fromEntries(owners.map((owner) => [owner, new InMemoryStore()]));

async function createOwners(scope: MemoryScope, createConfig: (owner: string) => object): Promise<Asking[]> {
  const node = await nodeWithManyNotes({ scope });
  return createAskings(node, (owner) => node.memory(owner), createConfig);
}

/** Writes notes for each owner, who then ask one connector in turns. */
async function createAskings(
  node: MemoryNode,
  open: (owner: string) => Memory,
  createConfig: (owner: string) => object,
): Promise<Asking[]> {
  for (const owner of owners) await writeManyNotes(open(owner), owner);
  const connector = node.createConnector(auto);
  return [...owners, ...owners].map((owner) => ({ connector, config: createConfig(owner), owner }));
}

describe("the part of the turn of", () => {
  it.each(alike)("%s is that of each", async (_who, create) => {
    const { messages } = ask(question, "1");
    for (const { connector, config, owner } of await create())
      for (const given of [messages, afterTool(messages), afterTool(messages)]) {
        const part = getTurnPart(await connector.inject(given, config), question);
        for (const each of owners) expect(part.includes(`| word7 is what ${each} says`)).toBe(each === owner);
      }
  });

  it("two runs without a thread that say the same is that of each", async () => {
    const node = await nodeWithManyNotes();
    const model = new ScriptedChatModel(answer);
    const agent = new Agent({ model, memoryConnector: node.createConnector(auto) });
    await agent.invoke(ask(question, "1"));
    await node.memory().write("/notes/7", "word7 is blue.");
    await agent.invoke(ask(question, "1"));
    expect(getParts(model)[1]).toContain("| word7 is blue.");
  });

  it("messages that share an id in one thread is that of each text", async () => {
    const { show } = await showManyNotes();
    for (const number of [7, 9]) {
      const text = `What do the notes say about word${number}?`;
      expect(await show(ask(text, "1").messages, text)).toContain(`| word${number} is what`);
    }
  });

  it("another thread or message of one memory is its own, also if its id imitates others", async () => {
    const { memory, show } = await showManyNotes();
    const showOf = (threadId: string, id: string) => show(ask(question, id).messages, question, threadId);
    const others = ['1","","2', '"],["', "__proto__", "1|2", "x".repeat(100_000), "2"];
    for (const id of others) await showOf(id, "1");
    await memory.write("/notes/7", "word7 is blue.");
    for (const id of others) expect(await showOf("1", id)).toContain("| word7 is blue.");
  });

  it("a subgraph is the same in its loop of tools, and its own", async () => {
    const node = await nodeWithManyNotes();
    const model = new ScriptedChatModel(writer);
    const agent = new Agent({ model, tools: node.memoryTools, memoryConnector: node.createConnector(auto) });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("one", agent.graph)
      .addNode("other", async (_, config) => {
        await agent.graph.invoke(ask(question, "1"), config);
        return {};
      })
      .addEdge("__start__", "one")
      .addEdge("one", "other")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke(ask(question, "1"), thread("1"));
    const parts = getParts(model);
    expect(parts).toHaveLength(8);
    expect(new Set(parts.slice(0, 4)).size).toBe(1);
    expect(new Set(parts.slice(4)).size).toBe(1);
    expect(parts[4]).toContain("step 2");
  });
});

describe("a turn", () => {
  it("is read once by calls at the same time", async () => {
    let reads = 0;
    const store = new InMemoryStore();
    const memory = openMemory(store, { nodeId: "a" });
    await writeManyNotes(memory);
    const connector = new MemoryConnectorNode({
      ...auto,
      memory: {
        scope: "global",
        globalMemory: () => memory,
        memoryForRun: () => memory.with({}),
      },
    });
    const shown = await Promise.all(
      Array.from({ length: 5 }, async () => {
        reads += 1;
        const messages = await connector.inject(ask(question, "1").messages, thread("1"));
        await memory.append("/notes/7", `word7 again, at read ${reads}.`);
        return getTurnPart(messages, question);
      }),
    );
    expect(new Set(shown).size).toBe(1);
  });

  it.each([{ maxChars: 2000 }, { maxTokens: 400, countTokens: (text: string) => text.length / 5 }])(
    "keeps its part, and shows what the agent writes if both fit the budget (%j)",
    async (budget) => {
      const node = await nodeWithManyNotes();
      await node.memory().write("/pinned/a", "Likes tea.");
      const connector = node.createConnector({ content: "auto", pinned: ["/pinned/**"], ...budget });
      const { messages } = ask(question, "1");
      const show = async (given: BaseMessage[]): Promise<string[]> =>
        (await connector.inject(given, thread("1"))).map(({ text }) => text).slice(0, 2);
      const [before = "", user = ""] = await show(messages);
      expect(before).toContain("| Likes tea.");
      await node.memory().write("/pinned/a", "Likes pho.");
      expect(await show(afterTool(messages))).toEqual([before.replace("tea", "pho"), user]);
      for (let number = 0; number < 20; number += 1) await node.memory().write(`/new/${number}`, "A new note.");
      const [added = "", sameUser] = await show(afterTool(messages));
      expect(added).toMatch(/entries left out/);
      expect(sameUser).toBe(user);
      await node.memory().write("/pinned/a", "Likes rice. ".repeat(20));
      const [pinned = "", otherUser = ""] = await show(afterTool(messages));
      expect(pinned).toContain("| Likes rice. Likes rice.");
      expect(otherUser).toContain("| word7 is");
      expect(pinned.length + otherUser.length - `\n\n${question}`.length).toBeLessThanOrEqual(2000);
    },
  );

  it("is made again for an answer that is made again", async () => {
    const { memory, show } = await showManyNotes();
    const { messages } = ask(question, "1");
    await show(messages);
    await show(afterTool(messages));
    await memory.append("/notes/7", "word7 is blue.");
    expect(await show(messages)).toContain("| word7 is blue.");
  });

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["deleted", (memory) => memory.delete("/notes/7")],
    ["deleted with all others", (memory) => memory.delete("/")],
    ["renamed", (memory) => memory.rename("/notes/7", "/notes/seven")],
    ["covered", (memory) => memory.update("/notes/7", "a note", "██████")],
    ["continued in the same line", (memory) => memory.update("/notes/7", "nothing else.", "nothing else. Or so.")],
  ])("shows no line that was %s in the loop", async (_how, change) => {
    const { memory, show } = await showManyNotes();
    const { messages } = ask(question, "1");
    const line = "| word7 is what a note says, and it says nothing else.\n";
    const first = await show(messages);
    expect(first).toContain(`/notes/7:\n${line}`);
    await change(memory);
    const after = await show(afterTool(messages));
    expect(after).not.toContain(`/notes/7:\n${line}`);
    expect(after).not.toBe(first);
  });

  it("keeps its part in the loop while its lines exist, wherever they are in their files", async () => {
    const { memory, show } = await showManyNotes();
    await memory.write("/notes/7", "  word7 is one.\r\nword7 is two.\n\nword7 is three.");
    const { messages } = ask(question, "1");
    const first = await show(messages);
    for (const line of ["one", "two", "three"]) expect(first).toContain(`word7 is ${line}.`);
    await memory.append("/notes/7", "word7 is four.");
    await memory.update("/notes/7", "word7 is two.", "An insertion.\nword7 is two.");
    await memory.delete("/notes/39");
    expect(first).not.toContain("/notes/39");
    expect(await show(afterTool(messages))).toBe(first);
  });

  it("goes on without the memory if it cannot be read, and reads it again at the next call", async () => {
    const store = new FailingStore();
    const errors: MemoryError[] = [];
    const node = await nodeWithManyNotes({ store });
    const connector = node.createConnector({ ...auto, onError: (error) => errors.push(error) });
    const { messages } = ask(question, "1");
    store.isAway = true;
    const failed = await Promise.all([1, 2].map(() => connector.inject(messages, thread("1"))));
    expect(failed).toEqual([messages, messages]);
    expect(errors.map(({ code }) => code)).toEqual(["EIO", "EIO"]);
    store.isAway = false;
    expect(getTurnPart(await connector.inject(messages, thread("1")), question)).toContain("| word7 is what");
  });

  it("asks with the user's message before, if the last one is short", async () => {
    const { show } = await showManyNotes();
    const history = [new HumanMessage(question), new AIMessage("Some word9.")];
    const [short, long] = ["And why?", "Something else, which is long enough to be searched alone: word11"];
    const showAfter = (text: string) => show([...history, new HumanMessage(text)], text);
    expect(await showAfter(short)).toContain("| word7 is");
    expect(await showAfter(long)).toMatch(/^<memory [^]*\| word11 is/);
    expect(await showAfter(long)).not.toContain("| word7 is");
  });

  it("asks with the texts of blocks, also with the end of a long text", async () => {
    const { connector } = await showManyNotes();
    // Not word9: of notes of one millisecond, the newest lines begin with the last path.
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,word10" } };
    const content = [image, { type: "text", text: "text ".repeat(100_000) }, { type: "text", text: "about word7" }];
    const shown = await connector.inject([new HumanMessage({ content })]);
    const [part, ...rest] = (shown.at(-1)?.content ?? []) as { text: string }[];
    expect(part?.text).toContain("| word7 is");
    expect(part?.text).not.toContain("| word10 is");
    expect(rest).toEqual(content);
  });

  it("of two connectors asks with the user's own words", async () => {
    const [one, other] = [await nodeWithManyNotes(), await nodeWithManyNotes()];
    await other.memory().write("/notes/8", "data to consult: a word of the introduction.");
    const model = new ScriptedChatModel(answer);
    await createAgent({
      model,
      tools: [],
      middleware: [
        memoryMiddleware({ memory: one, ...auto, placement: "last_message" }),
        memoryMiddleware({ memory: other, ...auto, tools: false }),
      ],
    }).invoke(ask());
    const [messages = []] = model.calls;
    const shown = messages.filter(({ type }) => type === "human").map(({ text }) => text);
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(
      /^<memory [^]*<\/memory>\n\n<memory [^]*<\/memory>\n\nWhat do the notes say about word7\?$/,
    );
    const alone = await other.createConnector(auto).inject(ask().messages);
    expect(shown[0]?.startsWith(getTurnPart(alone, question))).toBe(true);
  });

  it("without a message of the user shows both parts at the placement", async () => {
    const { connector } = await showManyNotes();
    const [message, ...rest] = await connector.inject([new SystemMessage("Be kind."), new AIMessage("Hello.")]);
    expect(message?.type).toBe("system");
    expect(message?.text).toMatch(/^Be kind\.\n\n<memory [^]*<\/memory>\n\n<memory [^]*<\/memory>$/);
    expect(rest.map(({ type }) => type)).toEqual(["ai"]);
  });

  it("is in the message that a program renders, for its question", async () => {
    const { connector } = await showManyNotes();
    const asked = (await connector.renderMessage({ question }))?.text ?? "";
    expect(asked).toMatch(/<\/memory>\n\n<memory [^]*\| word7 is/);
    const [message] = await connector.inject(ask().messages);
    expect(asked.startsWith(`${message?.text}\n\n`)).toBe(true);
    expect((await connector.renderMessage())?.text).not.toContain("| word7 is");
  });
});
