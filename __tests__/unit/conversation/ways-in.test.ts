import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Command,
  END,
  InMemoryStore,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "@jest/globals";
import { createAgent, providerStrategy, summarizationMiddleware, tool, toolStrategy } from "langchain";
import { z } from "zod";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import {
  Agent,
  CallModelNode,
  buildGraph,
  type ConversationLogOptions,
  createConversationLog,
  logConversation,
  type Memory,
  type MemoryError,
  MemoryNode,
  type MemoryNodeOptions,
  type MemoryRun,
  openMemory,
} from "../../../src/index.js";
import { HangingStore } from "../../helpers/hanging-store.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

type Runnable = { invoke(input: { messages: object[] } | null, config: object): Promise<unknown> };
type Making = {
  node: MemoryNode;
  log?: true | ConversationLogOptions;
  checkpointer?: MemorySaver;
  onError?: (error: MemoryError) => void;
};

/** Answers the user's text, without the memory before it. */
const answerAll = () =>
  new ScriptedChatModel((messages) => {
    const text = messages.findLast(({ type }) => type === "human")?.text ?? "";
    return `Answer to ${text.replace(/^<memory [^]*<\/memory>\n\n/, "")}`;
  });

/** Every way in that writes the log by itself. */
const waysIn: Record<string, (making: Making) => Runnable> = {
  "a node of a graph": ({ node, log = true, checkpointer, onError = () => {} }) => {
    const model = answerAll();
    const options = { memory: node, ...(log !== true && log), onError };
    return new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("log", createConversationLog(options))
      .addEdge(START, "model")
      .addEdge("model", "log")
      .addEdge("log", END)
      .compile({ ...(checkpointer && { checkpointer }) }) as Runnable;
  },
  "the middleware of createAgent": ({ node, log = true, checkpointer, onError = () => {} }) =>
    createAgent({
      model: answerAll(),
      middleware: [memoryMiddleware({ memory: node, log, onError })],
      ...(checkpointer && { checkpointer }),
    }) as Runnable,
  Agent: ({ node, log = true, checkpointer, onError = () => {} }) =>
    new Agent({
      model: answerAll(),
      tools: node.memoryTools,
      memoryConnector: node.createConnector({ onError }),
      log,
      ...(checkpointer && { checkpointer }),
    }) as Runnable,
};

const user = (content: string) => ({ role: "user", content });

function createNode(options: Partial<MemoryNodeOptions> = {}): MemoryNode {
  return new MemoryNode({ nodeId: "n", store: new InMemoryStore(), ...options });
}

/** The store as another process sees it. What a process knows of a thread it knows by its store. */
class OtherProcess extends InMemoryStore {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    super();
    this.#store = store;
  }

  override batch: InMemoryStore["batch"] = (operations) => this.#store.batch(operations);
}

/** A middleware that replaces old messages by a summary during a run of a few steps. */
function createShortening() {
  const summaries = new ScriptedChatModel(() => "Summary.");
  const sizes = { trigger: { messages: 6 }, keep: { messages: 2 } };
  return { summaries, shorten: summarizationMiddleware({ model: summaries, ...sizes } as never) };
}

/** The lines of messages in all files of a log. */
async function readLines(memory: Memory, path = "/conversations/"): Promise<string[]> {
  const { files } = await memory.snapshot();
  const texts = files.filter((file) => file.path.startsWith(path)).map(({ content }) => content);
  return texts.flatMap((text) => text.split("\n")).filter((line) => line !== "" && !/^[#~^]/.test(line));
}

describe.each(Object.entries(waysIn))("%s", (_name, create) => {
  /** A thread of messages that are logged, and what goes wrong. */
  function openThread(options: Partial<MemoryNodeOptions> = {}) {
    const node = createNode(options);
    const errors: MemoryError[] = [];
    const agent = create({ node, checkpointer: new MemorySaver(), onError: (error) => void errors.push(error) });
    const say = async (...texts: string[]): Promise<void> => {
      for (const text of texts) await agent.invoke({ messages: [user(text)] }, { configurable: { thread_id: "t" } });
    };
    return { node, errors, say };
  }

  it("logs each message of a thread once, over its turns", async () => {
    const { node, say } = openThread();
    await say("one", "two", "one");
    expect(await readLines(node.memory())).toEqual([
      "User: one",
      "Assistant: Answer to one",
      "User: two",
      "Assistant: Answer to two",
      "User: one",
      "Assistant: Answer to one",
    ]);
  });

  it("logs only the last turn of a thread that began before the log", async () => {
    const node = createNode();
    const messages = [user("old"), { role: "assistant", content: "older" }, user("new")];
    await create({ node }).invoke({ messages }, { configurable: { thread_id: "t" } });
    expect(await readLines(node.memory())).toEqual(["User: new", "Assistant: Answer to new"]);
  });

  it("logs what a memory that was away has missed, also the first turn", async () => {
    const store = new FailingStore();
    const { node, errors, say } = openThread({ store });
    store.isAway = true;
    await say("one", "two");
    expect(errors.at(-1)).toMatchObject({ code: "EIO" });
    store.isAway = false;
    await say("three", "four");
    store.isAway = true;
    await say("five");
    store.isAway = false;
    await say("six");
    expect((await readLines(node.memory())).filter((line) => line.startsWith("User"))).toEqual(
      ["one", "two", "three", "four", "five", "six"].map((text) => `User: ${text}`),
    );
  });

  it("logs what a memory that was away has missed, also if another process has logged the next turn", async () => {
    const store = new FailingStore();
    const checkpointer = new MemorySaver();
    const [own, other] = [store, new OtherProcess(store)].map((each) =>
      create({ node: createNode({ store: each }), checkpointer }),
    );
    const say = (agent: Runnable | undefined, text: string) =>
      agent?.invoke({ messages: [user(text)] }, { configurable: { thread_id: "t" } });
    store.isAway = true;
    await say(own, "one");
    store.isAway = false;
    await say(other, "two");
    await say(own, "three");
    const lines = await readLines(openMemory(store, { nodeId: "n" }));
    expect(lines.filter((line) => line.startsWith("User"))).toEqual(["User: two", "User: one", "User: three"]);
  });

  it("goes on when the time of the store is up, and has each message once when the store goes on", async () => {
    const store = new HangingStore();
    const { node, errors, say } = openThread({ store, timeoutMs: 1000 });
    store.hang();
    await say("one");
    expect(errors.at(-1)).toMatchObject({ code: "EIO", message: expect.stringMatching(/no answer within 1000 ms/) });
    store.goOn();
    await say("two");
    const expected = ["User: one", "Assistant: Answer to one", "User: two", "Assistant: Answer to two"];
    expect(await readLines(node.memory())).toEqual(expected);
  });

  it("keeps the logs of users apart, and writes none without a user", async () => {
    const node = createNode({ scope: "perUser" });
    const errors: MemoryError[] = [];
    const agent = create({ node, onError: (error) => void errors.push(error) });
    for (const user_id of ["anna", "ben"])
      await agent.invoke({ messages: [user(user_id)] }, { configurable: { user_id } });
    await agent.invoke({ messages: [user("nobody")] }, {});
    expect(await readLines(node.memory("anna"))).toEqual(["User: anna", "Assistant: Answer to anna"]);
    expect(await readLines(node.memory("ben"))).toEqual(["User: ben", "Assistant: Answer to ben"]);
    expect((await node.globalMemory().snapshot()).files).toEqual([]);
    expect(errors.at(-1)).toMatchObject({ code: "EINVAL" });
  });

  it("leaves out only the text that a guard refuses, and reports it once", async () => {
    const guard = ({ content }: { content: string }): void => {
      if (content === "bad") throw new Error("no");
    };
    const { node, errors, say } = openThread({ guard });
    await say("bad", "good");
    expect(await readLines(node.memory())).toEqual([
      "Assistant: Answer to bad",
      "User: good",
      "Assistant: Answer to good",
    ]);
    expect(errors.map(({ code }) => code)).toEqual(["EACCES"]);
  });

  it("logs a run whose thread id and user's name are numbers", async () => {
    const node = createNode();
    const messages = [{ ...user("one"), name: 7 }];
    await create({ node }).invoke({ messages }, { configurable: { thread_id: 5 } });
    expect(await readLines(node.memory())).toEqual(["User 7: one", "Assistant: Answer to one"]);
    expect((await node.memory().snapshot()).files[0]?.path).toMatch(/\/5\.md$/);
  });

  it("goes on if `onError` fails", async () => {
    const store = new FailingStore();
    const node = createNode({ store, scope: "perUser" });
    const agent = create({ node, onError: () => Promise.reject(new Error("x")) as never });
    store.isAway = true;
    await expect(agent.invoke({ messages: [user("one")] }, { configurable: { user_id: "u" } })).resolves.toBeDefined();
  });

  it("uses the path, the time zone of the run and the days that it is given", async () => {
    const store = new InMemoryStore();
    const node = createNode({ store });
    const today = new Date();
    const timeZone = ({ userId }: MemoryRun) => (userId === "kiritimati" ? "Pacific/Kiritimati" : "Pacific/Niue");
    const agent = create({ node, log: { path: "/log", timeZone, keepDays: 1 } });
    await openMemory(store, { nodeId: "n" }, { paths: "posix" }).write("/log/2020-01-01/t.md", "old");
    await agent.invoke({ messages: [user("west")] }, { configurable: { user_id: "niue", thread_id: "w" } });
    expect(node.log).toMatchObject({ path: "/log", keepDays: 1 });
    const day = (zone: string) => today.toLocaleDateString("sv-SE", { timeZone: zone });
    expect((await node.memory().list("/log")).map(({ name }) => name)).toEqual([day("Pacific/Niue")]);
    await agent.invoke({ messages: [user("east")] }, { configurable: { user_id: "kiritimati", thread_id: "e" } });
    // The west is a day behind, and only today is kept.
    expect((await node.memory().list("/log")).map(({ name }) => name)).toEqual([day("Pacific/Kiritimati")]);
  });
});

describe("a log in a graph", () => {
  it.each(["callTools", "tool_node"])("has no order of an agent inside a tool that the node %s runs", async (name) => {
    const node = createNode();
    const inner = createAgent({ model: answerAll(), middleware: [memoryMiddleware({ memory: node, log: true })] });
    const ask = tool(async () => (await inner.invoke({ messages: [user("find it")] })).messages.at(-1)?.text ?? "", {
      name: "ask",
      schema: z.object({}),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("call", () => ({
        messages: [new AIMessage({ content: "", tool_calls: [{ name: "ask", args: {}, id: "1" }] })],
      }))
      .addNode(name, new ToolNode([ask]))
      .addEdge(START, "call")
      .addEdge("call", name as "call")
      .compile();
    await graph.invoke({ messages: [user("Where is it?")] });
    expect(await readLines(node.memory())).toEqual(["Assistant: Answer to find it"]);
  });

  it("has no order of an agent to another one inside its tool, but the answer to it", async () => {
    const node = createNode();
    const inner = createAgent({ model: answerAll(), middleware: [memoryMiddleware({ memory: node, log: true })] });
    const ask = tool(
      async ({ task }: { task: string }) => {
        const { messages } = await inner.invoke({ messages: [user(task)] });
        return messages.at(-1)?.text ?? "";
      },
      { name: "ask", description: "Asks another agent.", schema: z.object({ task: z.string() }) },
    );
    const model = new ScriptedChatModel((messages) =>
      messages.at(-1)?.type === "human" ? { tool: "ask", args: { task: "find it" } } : "There.",
    );
    const outer = createAgent({ model, tools: [ask], middleware: [memoryMiddleware({ memory: node, log: true })] });
    await outer.invoke({ messages: [user("Where is it?")] }, { configurable: { thread_id: "t" } });
    expect((await readLines(node.memory())).toSorted()).toEqual([
      "Assistant: Answer to find it",
      "Assistant: There.",
      "User: Where is it?",
    ]);
  });

  it("is written once if the task is tried again, if the run is resumed, and beside an interrupt", async () => {
    const node = createNode();
    const log = createConversationLog({ memory: node });
    let attempts = 0;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await answerAll().invoke(messages)] }))
      .addNode(
        "log",
        async (state: typeof MessagesAnnotation.State, config) => {
          await log(state, config);
          attempts += 1;
          if (attempts < 3) throw new Error("stumbled");
          return {};
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, retryOn: () => true } },
      )
      .addNode("person", async () => {
        interrupt("go on?");
        return {};
      })
      .addEdge(START, "model")
      .addEdge("model", "log")
      .addEdge("model", "person")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    await expect(graph.invoke({ messages: [user("one")] }, config)).rejects.toThrow("stumbled");
    await graph.invoke(null, config);
    await graph.invoke(new Command({ resume: "yes" }), config);
    expect(attempts).toBeGreaterThan(2);
    expect(await readLines(node.memory())).toEqual(["User: one", "Assistant: Answer to one"]);
  });

  it("has a structured answer as the text that LangChain gives it", async () => {
    const schema = {
      title: "Dish",
      type: "object" as const,
      properties: { name: { type: "string" } },
      required: ["name"],
    };
    const ways = [
      { responseFormat: providerStrategy(schema), answer: '{"name":"soup"}' },
      { responseFormat: toolStrategy(schema), answer: { tool: "Dish", args: { name: "soup" } } },
    ];
    const node = createNode();
    for (const { responseFormat, answer } of ways) {
      const model = new ScriptedChatModel(() => answer);
      const middleware = [memoryMiddleware({ memory: node, log: true, tools: false })];
      const agent = createAgent({ model, responseFormat: responseFormat as never, middleware });
      const result: object = await agent.invoke({ messages: [user("Which dish?")] });
      expect(result).toMatchObject({ structuredResponse: { name: "soup" } });
    }
    expect(await readLines(node.memory())).toEqual([
      "User: Which dish?",
      'Assistant: {"name":"soup"}',
      "User: Which dish?",
      'Assistant: Returning structured response: {"name":"soup"}',
    ]);
  });

  it.each([
    ["in a thread", { thread_id: "t" }, new MemorySaver()],
    ["without a thread", {}, undefined],
  ])(
    "has the user's message if a summary replaces it before the answer, %s",
    async (_where, configurable, checkpointer) => {
      const node = createNode();
      const look = tool(() => "Nothing there.", { name: "look", schema: z.object({}) });
      let steps = 0;
      const model = new ScriptedChatModel(() => {
        steps += 1;
        return steps % 5 === 0 ? `Answer ${steps}` : { tool: "look", args: {} };
      });
      const { summaries, shorten } = createShortening();
      const middleware = [memoryMiddleware({ memory: node, log: true }), shorten] as never[];
      const tools = [look];
      const agent = createAgent({ model, tools, middleware, ...(checkpointer && { checkpointer }) }) as Runnable;
      for (const text of ["My dog is Rex.", "My cat is Tom."])
        await agent.invoke({ messages: [user(text)] }, { configurable });
      expect(summaries.calls.length).toBeGreaterThan(1);
      expect(await readLines(node.memory())).toEqual([
        "User: My dog is Rex.",
        "Assistant: Answer 5",
        "User: My cat is Tom.",
        "Assistant: Answer 10",
      ]);
    },
  );

  it("has all messages of the user that a summary replaces", async () => {
    const node = createNode();
    const look = tool(() => "Nothing there.", { name: "look", schema: z.object({}) });
    let steps = 0;
    const model = new ScriptedChatModel(() => ((steps += 1) < 5 ? { tool: "look", args: {} } : "Answer"));
    const { shorten } = createShortening();
    const middleware = [memoryMiddleware({ memory: node, log: true }), shorten] as never[];
    const agent = createAgent({ model, tools: [look], middleware }) as Runnable;
    await agent.invoke({ messages: [user("My dog is Rex."), user("My cat is Tom.")] }, {});
    const lines = await readLines(node.memory());
    expect(lines).toEqual(["User: My dog is Rex.", "User: My cat is Tom.", "Assistant: Answer"]);
  });

  it("has the messages of its own tenant's run beside a run of another store with the same ids", async () => {
    const memory = new MemoryNode({ nodeId: "shared", scope: "perUser" });
    const middleware = memoryMiddleware({ memory, log: true });
    const { summaries, shorten } = createShortening();
    const thread = { configurable: { thread_id: "1", user_id: "ada" } };
    const createTenant = (onLook: (step: number) => Promise<void>) => {
      let steps = 0;
      const look = tool(async () => (await onLook((steps += 1)), "seen"), { name: "look", schema: z.object({}) });
      const model = new ScriptedChatModel(() => (steps < 4 ? { tool: "look", args: {} } : "Answer"));
      const store = new InMemoryStore();
      const agent = createAgent({ model, store, tools: [look], middleware: [middleware, shorten] as never[] });
      return {
        agent: agent as Runnable,
        memory: openMemory(store, { nodeId: "shared", scope: "perUser", userId: "ada" }),
      };
    };
    const second = createTenant(async () => {});
    let other: Promise<unknown> = Promise.resolve();
    const first = createTenant(async (step) => {
      if (step === 4) await other;
    });
    // Not inside the tool, where it would get the store of the outer run.
    const running = first.agent.invoke({ messages: [user("My dog is Rex.")] }, thread);
    other = second.agent.invoke({ messages: [user("My cat is Tom.")] }, thread);
    await Promise.all([running, other]);
    expect(summaries.calls.length).toBeGreaterThan(1);
    expect(await readLines(first.memory)).toEqual(["User: My dog is Rex.", "Assistant: Answer"]);
    expect(await readLines(second.memory)).toEqual(["User: My cat is Tom.", "Assistant: Answer"]);
  });

  it("has the texts of a turn with calls of tools, and nothing that a connector shows", async () => {
    const node = createNode();
    await node.memory().write("/secret", "shown to the model");
    const model = new ScriptedChatModel((messages: readonly BaseMessage[]) =>
      messages.at(-1)?.type === "tool"
        ? "done"
        : { tool: "memory", args: { command: "append", path: "/a", content: "x" } },
    );
    const connector = node.createConnector({ content: "full", role: "user" });
    await new Agent({ model, tools: node.memoryTools, memoryConnector: connector, log: true }).invoke({
      messages: [user("go")],
    });
    expect(await node.memory().read("/a")).toBe("x");
    expect(await readLines(node.memory())).toEqual(["User: go", "Assistant: done"]);
  });

  it.each([
    { content: "auto" as const, maxChars: 300 },
    { role: "user" as const, placement: "last_message" as const },
  ])("has no memory that a connector added to the messages: %j", async (config) => {
    const node = createNode();
    for (const name of ["figs", "rice"]) await node.memory().write(`/${name}`, `secret ${name} `.repeat(100));
    const given = [new HumanMessage("figs?"), new AIMessage("Yes"), new HumanMessage("Which figs?")];
    const shown = await node.createConnector(config).inject(given);
    expect(shown.map(({ text }) => text).join("\n")).toContain("<memory ");
    await logConversation(node.memory(), shown);
    expect(await readLines(node.memory())).toEqual(["User: figs?", "Assistant: Yes", "User: Which figs?"]);
  });

  it.each([
    ["the options of its node", {}, "/said/2026-03-05/"],
    ["other options of the program", { timeZone: "UTC" }, "/said/2026-03-04/"],
  ])("is written by a program with %s", async (_what, options, directory) => {
    const timeZone = ({ userId }: MemoryRun) => (userId === "anna" ? "Pacific/Kiritimati" : "UTC");
    const node = createNode({ scope: "perUser", log: { path: "/said", timeZone } });
    const at = new Date("2026-03-04T20:00:00Z");
    await logConversation(node.memory("anna").with({ actor: { client: "import" } }), [user("hi")], { at, ...options });
    expect(await readLines(node.memory("anna"), directory)).toEqual(["User: hi"]);
  });

  it("is written for a definition of buildGraph", async () => {
    const store = new InMemoryStore();
    const definition = {
      nodes: [
        {
          id: "m",
          data: { template: "memory" as const, config: { log: { path: "/log", timeZone: "Europe/Berlin" } } },
        },
        { id: "a", data: { template: "agent" as const } },
      ],
      edges: [{ source: "m", sourceHandle: "$self" as const, target: "a", targetHandle: "$memory" as const }],
    };
    const graph = buildGraph(definition, { store, model: answerAll() });
    await graph.agent("a").invoke({ messages: [user("hi")] });
    expect(await readLines(graph.memory("m").memory(), "/log/")).toEqual(["User: hi", "Assistant: Answer to hi"]);
  });

  it("is not written if the option is false", async () => {
    const node = createNode({ log: true });
    const agent = new Agent({ model: answerAll(), memoryConnector: node, log: false });
    await agent.invoke({ messages: [user("hi")] });
    expect((await node.memory().snapshot()).files).toEqual([]);
  });

  it("is in a memory that is mounted, if its path is there", async () => {
    const node = createNode({
      mounts: { "/user": { nodeId: "user", scope: "perUser" } },
      log: { path: "/user/conversations" },
    });
    const agent = new Agent({ model: answerAll(), memoryConnector: node });
    await agent.invoke({ messages: [user("hi")] }, { configurable: { user_id: "anna" } });
    expect(await readLines(node.memory("anna"), "/user/conversations/")).toEqual([
      "User: hi",
      "Assistant: Answer to hi",
    ]);
    expect((await node.globalMemory().snapshot()).files).toEqual([]);
  });

  it.each<[string, (agent: Agent, node: MemoryNode) => void]>([
    ["to the agent", (agent, node) => agent.attachMemoryConnector(node.createConnector())],
    ["to its node", (agent, node) => agent.callModel.setMemoryConnector(node)],
    [
      "with another node",
      (agent, node) => agent.setCallModel(new CallModelNode({ model: answerAll(), memoryConnector: node })),
    ],
  ])("is in the memory that is attached to an agent later: %s", async (_way, attach) => {
    const node = createNode();
    const agent = new Agent({ model: answerAll(), log: { keepDays: 7 } });
    await expect(agent.invoke({ messages: [user("hi")] })).rejects.toThrow(/a log needs a memoryConnector/);
    attach(agent, node);
    await agent.invoke({ messages: [user("hi")] });
    expect(await readLines(node.memory())).toEqual(["User: hi", "Assistant: Answer to hi"]);
    expect(node.log?.keepDays).toBe(7);
  });

  it("refuses another log than the memory has", () => {
    const node = createNode({ log: { keepDays: 7 } });
    expect(() => memoryMiddleware({ memory: node, log: { keepDays: 8 } })).toThrow(/already has a log/);
    expect(() => memoryMiddleware({ memory: node, log: true })).not.toThrow();
    expect(() => createNode({ log: { path: "/a/*" } })).toThrow(/without wildcards/);
    expect(() => createNode({ log: true, mounts: { "/": { access: "read" } } })).toThrow(/access "read"/);
  });
});
