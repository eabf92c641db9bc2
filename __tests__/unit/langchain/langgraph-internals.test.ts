import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { type RunnableConfig, RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  AsyncBatchedStore,
  Command,
  END,
  getConfig,
  GraphInterrupt,
  InMemoryStore,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  ParentCommand,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { z } from "zod";
import { isGraphBubbleUp } from "../../../src/core/values/bubble-up.js";
import {
  defineRunnableMark,
  getAttempt,
  getCallbackManager,
  getContextConfig,
  getInterruptState,
  getNextInterruptNumber,
  getObjectsOfRun,
  getTaskNamespace,
  getToolCallOfTask,
  hasAnswer,
  hasCheckpointer,
  hasUnnamedAnswer,
  isArgumentsError,
  listInterruptsOfStep,
  runInContext,
  unwrapStore,
  withoutUnnamedAnswer,
} from "../../../src/langchain/langgraph-internals.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

/** The versions with which the internals were seen, oldest first: the lowest supported ones, and those installed. */
const seenVersions: Record<string, string[]> = {
  "@langchain/core": ["1.2.0", "1.4.0"],
  "@langchain/langgraph": ["1.4.4", "1.7.3"],
  "@langchain/langgraph-checkpoint": ["1.1.2", "1.2.2"],
};

const internalsFile = "src/langchain/langgraph-internals.ts";

interface Internal {
  /** The field, or how the packages behave. */
  field: string;
  usedFor: string;
  /** The file or symbol of the package to read. */
  lookAt: string;
  check: () => Promise<void>;
}

const internals: Internal[] = [
  {
    field: "configurable.__pregel_scratchpad { interruptCounter, resume, nullResume }",
    usedFor: 'requests for approval of `access: "ask"`: an approved change is made exactly once',
    lookAt: "the function `interrupt` in dist/interrupt.js, and `_scratchpad` in dist/pregel/algo.js of langgraph",
    check: checkInterruptState,
  },
  {
    field: "configurable.checkpoint_map, and `__interrupt__` in the pending writes of a checkpoint",
    usedFor: "answers that name none of several questions: such an answer decides nothing",
    lookAt: "`CONFIG_KEY_CHECKPOINT_MAP` in dist/pregel/algo.js and `putWrites` in dist/pregel/loop.js of langgraph",
    check: checkInterruptsOfStep,
  },
  {
    field: "`__resume__` and the results of a task in the pending writes of a checkpoint",
    usedFor: "answers without an id: such an answer is for the last question of a step",
    lookAt: "`interrupt` in dist/interrupt.js and `_commit` in dist/pregel/runner.js of langgraph",
    check: checkAnsweredInterrupts,
  },
  {
    field: "configurable.__pregel_checkpointer",
    usedFor: "refusing a change that needs approval if the run cannot wait",
    lookAt: "the function `interrupt` in dist/interrupt.js of langgraph",
    check: checkCheckpointer,
  },
  {
    field: "configurable.checkpoint_ns, which contains the id of the task and stays when the task runs again",
    usedFor: "the ids of requests for approval and of tool calls",
    lookAt: "`CONFIG_KEY_CHECKPOINT_NS` in dist/pregel/algo.js of langgraph",
    check: checkTaskNamespace,
  },
  {
    field: "lg_tool_call in the input of a task of `createAgent`, `currentTaskInput` of the scratchpad",
    usedFor: "the tools of deepagents, which make the change of a repeated call once",
    lookAt: "`isSendInput` in dist/agents/nodes/ToolNode.js of langchain",
    check: checkToolCallOfTask,
  },
  {
    field: "executionInfo.nodeAttempt, which counts the attempts of a retry policy",
    usedFor: "telling the repeated calls of a further attempt from equal calls of the same attempt",
    lookAt: "`_runWithRetry` in dist/pregel/retry.js of langgraph",
    check: checkAttempt,
  },
  {
    field: "configurable.__pregel_abort_signals.externalAbortSignal and config.writer, which all parts of a run share",
    usedFor: "the `runId` of the actor in the history of a memory",
    lookAt: "`CONFIG_KEY_ABORT_SIGNALS` in dist/pregel/runner.js of langgraph",
    check: checkObjectsOfRun,
  },
  {
    field: "AsyncLocalStorageProviderSingleton.runWithConfig and getRunnableConfig",
    usedFor: "interrupts, tracing and `getStore()` in functions that get no config",
    lookAt: "dist/singletons/async_local_storage/index.js of core",
    check: checkContext,
  },
  {
    field: "config.callbacks, a CallbackManager with `getParentRunId` and `handlers` in a run that has begun",
    usedFor: "reads of memory in the tree of a run, as in LangSmith",
    lookAt: "dist/callbacks/manager.js of core",
    check: checkCallbackManager,
  },
  {
    field: "the error for bad arguments of a tool: its message and its `output`",
    usedFor: "answering bad arguments in the form of the dialect, instead of a stack trace",
    lookAt: "`ToolInputParsingException` in dist/tools/utils.js of core",
    check: checkArgumentsError,
  },
  {
    field: "AsyncBatchedStore: `lg_name` and `store`",
    usedFor: "reaching a MongoMemoryStore inside the store of a run",
    lookAt: "dist/store/batch.js of langgraph-checkpoint",
    check: checkWrappedStore,
  },
  {
    field: "`lc_runnable`, which `addNode` reads before anything else",
    usedFor: "an Agent as a node of a graph, and refusing a MemoryConnectorNode as a node",
    lookAt: "`Runnable.isRunnable` and `_coerceToRunnable` in dist/runnables/base.js of core",
    check: checkRunnableMark,
  },
  {
    field: "`is_bubble_up` of errors that end or interrupt a run",
    usedFor: "passing on an interrupt of a guard, instead of refusing the change (src/core/values/bubble-up.ts)",
    lookAt: "`GraphBubbleUp` in dist/errors.js of langgraph",
    check: checkBubbleUp,
  },
];

describe("the internals of LangGraph and LangChain", () => {
  it.each(internals)("still have $field", async ({ field, usedFor, lookAt, check }) => {
    try {
      await check();
    } catch (cause) {
      throw new Error(
        `LangGraph or LangChain has changed ${field}.\n` +
          `It is used for ${usedFor}.\n` +
          `Look at ${lookAt}, change the function in ${internalsFile} so that it works with the old and the new ` +
          "versions, and run this test with both.",
        { cause },
      );
    }
  });

  it.each(Object.keys(seenVersions))("were seen with the installed version of %s", (name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string };
    if (seenVersions[name]?.includes(version) === true) return;
    throw new Error(
      `${name} ${version} is not in the list \`seenVersions\` of this test.\n` +
        `If all other tests of this file pass, run __tests__/unit/graph/approval.test.ts and __tests__/integration/traces ` +
        "too, and add the version to the list. If one fails, follow its message first.",
    );
  });

  it("are named in no other file", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((file) => `src/${file}`);
    const naming = files.filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        /__pregel|\blc_runnable\b|\blg_name\b|\bis_bubble_up\b/.test(readFileSync(file, "utf8")),
    );
    expect(naming.toSorted()).toEqual(["src/core/values/bubble-up.ts", internalsFile]);
  });
});

const config = { configurable: { thread_id: "t" } };

const stateAnnotation = Annotation.Root({ done: Annotation<boolean>() });

const getQuestions = (reply: object): unknown[] =>
  (reply as { __interrupt__: { value: unknown }[] }).__interrupt__.map(({ value }) => value);

type Act = (config: LangGraphRunnableConfig) => Promise<unknown>;

/** A graph that runs the functions one after the other. */
function createGraph(...acts: Act[]) {
  const nodes = acts.map(
    (act, index): [string, (state: object, config: LangGraphRunnableConfig) => Promise<object>] => [
      `node${index}`,
      async (_state, runConfig) => {
        await act(runConfig);
        return { done: true };
      },
    ],
  );
  return new StateGraph(stateAnnotation).addSequence(nodes).addEdge(START, "node0");
}

async function checkInterruptState(): Promise<void> {
  const seen: { number: number; answered: boolean; answer?: unknown }[] = [];
  const states = new Set<unknown>();
  const request = (runConfig: RunnableConfig): void => {
    const state = getInterruptState(runConfig);
    if (state === null) throw new Error("the config of a task has no state of interrupts");
    states.add(state);
    const number = getNextInterruptNumber(state);
    const entry: (typeof seen)[number] = { number, answered: hasAnswer(state, number) };
    seen.push(entry);
    entry.answer = interrupt("approve?");
  };
  const graph = createGraph(async (runConfig) => {
    request(runConfig);
    request(runConfig);
  }).compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, config);
  await graph.invoke(new Command({ resume: "one" }), config);
  await graph.invoke(new Command({ resume: "two" }), config);
  expect(seen).toEqual([
    { number: 0, answered: false },
    { number: 0, answered: true, answer: "one" },
    { number: 1, answered: false },
    { number: 0, answered: true, answer: "one" },
    { number: 1, answered: true, answer: "two" },
  ]);
  expect(states.size).toBe(3);
  expect(getInterruptState({})).toBeNull();
}

/** Two nodes of one step, each of which asks. */
function createAskingPair(ask: (runConfig: RunnableConfig, question: string) => Promise<object>) {
  return new StateGraph(stateAnnotation)
    .addNode("left", (_state, runConfig) => ask(runConfig, "left?"))
    .addNode("right", (_state, runConfig) => ask(runConfig, "right?"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .compile({ checkpointer: new MemorySaver() });
}

async function checkInterruptsOfStep(): Promise<void> {
  const seen: [unknown[], boolean][] = [];
  const ask = async (runConfig: RunnableConfig, question: string): Promise<object> => {
    const questions = await listInterruptsOfStep(runConfig);
    const state = getInterruptState(runConfig);
    if (state === null) throw new Error("the config of a task has no state of interrupts");
    const isUnnamed = hasUnnamedAnswer(state, 0);
    seen.push([questions.map(({ value }) => value), isUnnamed]);
    if (!isUnnamed) interrupt(question);
    return runInContext(withoutUnnamedAnswer(runConfig), async () => interrupt(`${question} again`));
  };
  const graph = createAskingPair(ask);
  const first = await graph.invoke({}, config);
  const second = await graph.invoke(new Command({ resume: "yes" }), config);
  const both = ["left?", "right?"];
  expect(seen).toEqual([
    [[], false],
    [[], false],
    [both, true],
    [both, true],
  ]);
  expect([getQuestions(first), getQuestions(second)]).toEqual([both, ["left? again", "right? again"]]);
}

async function checkAnsweredInterrupts(): Promise<void> {
  let seen: unknown[] = [];
  const ask = async (runConfig: RunnableConfig, question: string): Promise<object> => {
    seen = await listInterruptsOfStep(runConfig);
    const done: boolean = interrupt(question);
    return question === "left?" ? { done } : {};
  };
  const graph = createAskingPair(ask);
  const asked = (await graph.invoke({}, config)) as { __interrupt__?: { id: string; value: string }[] };
  const left = asked.__interrupt__?.find(({ value }) => value === "left?");
  await graph.invoke(new Command({ resume: { [left?.id ?? ""]: true } }), config);
  await graph.invoke(new Command({ resume: true }), config);
  expect(seen).toEqual([
    { value: "left?", isAnswered: true },
    { value: "right?", isAnswered: false },
  ]);
}

async function checkCheckpointer(): Promise<void> {
  const seen: boolean[] = [];
  const graph = createGraph(async (runConfig) => seen.push(hasCheckpointer(runConfig)));
  await graph.compile({ checkpointer: new MemorySaver() }).invoke({}, config);
  await graph.compile().invoke({}, config);
  expect(seen).toEqual([true, false]);
}

async function checkTaskNamespace(): Promise<void> {
  const seen: unknown[] = [];
  const graph = createGraph(
    async (runConfig) => {
      seen.push(getTaskNamespace(runConfig));
      interrupt("approve?");
    },
    async (runConfig) => seen.push(getTaskNamespace(runConfig)),
  ).compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, config);
  await graph.invoke(new Command({ resume: "yes" }), config);
  await graph.invoke({}, config);
  const [first, again, other, later] = seen;
  expect(typeof first).toBe("string");
  expect(again).toBe(first);
  expect(new Set([first, other, later]).size).toBe(3);
}

async function checkToolCallOfTask(): Promise<void> {
  const seen: unknown[] = [];
  const look = tool(async () => String(seen.push(getToolCallOfTask(getConfig()))), {
    name: "look",
    description: "look",
    schema: z.object({}),
  });
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.getType() === "tool" ? "done" : [{ tool: "look", args: {} }],
  );
  await createAgent({ model, tools: [look] }).invoke({ messages: [{ role: "user", content: "go" }] });
  expect(seen).toEqual([{ id: "call-1", name: "look" }]);
  await createGraph(async (runConfig) => seen.push(getToolCallOfTask(runConfig)))
    .compile()
    .invoke({});
  expect(seen.slice(1)).toEqual([null]);
}

async function checkAttempt(): Promise<void> {
  const seen: number[] = [];
  const look = tool(
    async (_args, runConfig: LangGraphRunnableConfig) => {
      seen.push(getAttempt(runConfig));
      if (seen.length < 3) throw new Error("again");
      return "";
    },
    { name: "look", schema: z.object({}) },
  );
  const call = new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "c" }] });
  const retryPolicy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("tools", new ToolNode([look], { handleToolErrors: false }), { retryPolicy })
    .addEdge(START, "tools")
    .compile();
  await graph.invoke({ messages: [call] });
  expect(seen).toEqual([1, 2, 3]);
  expect(getAttempt({})).toBe(1);
}

async function checkObjectsOfRun(): Promise<void> {
  const seen: object[][] = [];
  const act: Act = async (runConfig) => seen.push(getObjectsOfRun(runConfig));
  const inner = createGraph(act).compile();
  const byTool = tool(async (_args, runConfig: LangGraphRunnableConfig) => String(await act(runConfig)), {
    name: "look",
    schema: z.object({}),
  });
  const call = new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "c" }] });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("first", async (_state, runConfig) => {
      await act(runConfig);
      await inner.invoke({}, runConfig);
      interrupt("go on?");
      return { messages: [call] };
    })
    .addNode("tools", new ToolNode([byTool]))
    .addEdge(START, "first")
    .addEdge("first", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: [] }, config);
  const ofFirst = seen.splice(0);
  await graph.invoke(new Command({ resume: "yes" }), config);
  for (const ofRun of [ofFirst, seen]) {
    const [one = [], ...others] = ofRun;
    expect(others.length).toBeGreaterThan(0);
    expect(others.every((other) => other.some((object) => one.includes(object)))).toBe(true);
  }
  expect(seen.flat().filter((object) => ofFirst.flat().includes(object))).toEqual([]);
  expect(getObjectsOfRun({})).toEqual([]);
}

async function checkContext(): Promise<void> {
  const given = { configurable: { thread_id: "given" } };
  const inContext = await runInContext(given, async () => [getContextConfig(), getConfig()]);
  expect(inContext).toEqual([expect.objectContaining(given), expect.objectContaining(given)]);
  const seen: unknown[] = [];
  const graph = createGraph(async () => seen.push(getContextConfig()?.configurable?.["thread_id"])).compile();
  await graph.invoke({}, config);
  expect(seen).toEqual(["t"]);
}

async function checkCallbackManager(): Promise<void> {
  const managers: ReturnType<typeof getCallbackManager>[] = [];
  const lambda = RunnableLambda.from((_input: string, runConfig: RunnableConfig) => {
    managers.push(getCallbackManager(runConfig));
    return "";
  });
  const started: string[] = [];
  await lambda.invoke("", {
    callbacks: [{ handleChainStart: (_chain, _inputs, runId) => void started.push(runId) }],
  });
  await lambda.invoke("");
  const [manager, none] = managers;
  expect(started).toHaveLength(1);
  expect(manager?.getParentRunId()).toBe(started[0]);
  expect(typeof manager?.handleRetrieverStart).toBe("function");
  expect(none).toBeNull();
  expect(getCallbackManager({ callbacks: [{}] })).toBeNull();
}

async function checkArgumentsError(): Promise<void> {
  const jsonSchema = {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  } as const;
  for (const schema of [z.object({ text: z.string() }), jsonSchema]) {
    const strict = tool(async () => "", { name: "strict", schema });
    const error: unknown = await strict.invoke({ text: 1 } as never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(isArgumentsError(error)).toBe(true);
  }
  expect(isArgumentsError(new Error("other"))).toBe(false);
}

async function checkWrappedStore(): Promise<void> {
  const store = new InMemoryStore();
  expect(unwrapStore(new AsyncBatchedStore(new AsyncBatchedStore(store)))).toBe(store);
  expect(unwrapStore(store)).toBe(store);
  const seen: unknown[] = [];
  const graph = createGraph(async ({ store: wrapped }) => {
    if (wrapped !== undefined) seen.push(wrapped === store, unwrapStore(wrapped) === store);
  });
  await graph.compile({ store }).invoke({});
  expect(seen).toEqual([false, true]);
}

async function checkRunnableMark(): Promise<void> {
  const node = { invoke: async () => ({ done: true }) };
  defineRunnableMark(node, () => true);
  const graph = new StateGraph(stateAnnotation).addNode("node", node as never).addEdge(START, "node");
  expect(await graph.compile().invoke({})).toEqual({ done: true });
  const refusing = { invoke: async () => ({}) };
  defineRunnableMark(refusing, () => {
    throw new TypeError("this is no node");
  });
  expect(() => new StateGraph(stateAnnotation).addNode("node", refusing as never)).toThrow("this is no node");
}

async function checkBubbleUp(): Promise<void> {
  expect(isGraphBubbleUp(new GraphInterrupt([]))).toBe(true);
  expect(isGraphBubbleUp(new ParentCommand(new Command({ goto: "node" })))).toBe(true);
  expect(isGraphBubbleUp(new Error("other"))).toBe(false);
}
