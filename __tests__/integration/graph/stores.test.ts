import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, type ToolCall } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  entrypoint,
  getStore,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { AsyncBatchedStore, type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { CallModelNode, MemoryNode, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { shownEntries } from "../../helpers/conversations.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";

const human = { messages: [new HumanMessage("go")] };

/** Writes `/a` once, then says it is done. */
function writer(): ScriptedChatModel {
  return new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "tool"
      ? "done"
      : { tool: "memory", args: { path: "/a", command: "append", content: "x" } },
  );
}

function createGraph(node: MemoryNode, model: ScriptedChatModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode(
      "call_model",
      new CallModelNode({ model, tools: node.memoryTools, memoryConnector: node.createConnector() }),
    )
    .addNode("tools", new ToolNode(node.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model");
}

async function getFiles(store: BaseStore, nodeId: string): Promise<string[]> {
  return (await openMemory(store, { nodeId }).snapshot()).files.map(({ path }) => path);
}

describe.each(storesUnderTest())("a node without a store, in a run with %s", (_name, open) => {
  const wrapped = (store: BaseStore): BaseStore => new AsyncBatchedStore(store);

  it.each([
    ["given to compile", (store: BaseStore) => [{ store }, {}]],
    ["given to invoke", (store: BaseStore) => [{}, { store }]],
    [
      "given to invoke, instead of another given to compile",
      (store: BaseStore) => [{ store: new InMemoryStore() }, { store }],
    ],
    ["wrapped by another graph", (store: BaseStore) => [{ store: wrapped(store) }, {}]],
    ["wrapped twice", (store: BaseStore) => [{}, { store: wrapped(wrapped(store)) }]],
  ] as const)("%s, uses it in nodes and tools", async (_title, give) => {
    const store = open();
    const [compileOptions, runOptions] = give(store);
    const node = new MemoryNode(freshAddress());
    const model = writer();
    await createGraph(node, model).compile(compileOptions).invoke(human, runOptions);
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"]]);
    expect(await getFiles(store, node.nodeId)).toEqual(["/a"]);
  });

  it("uses it in a subgraph, compiled by itself or not", async () => {
    const store = open();
    for (const inner of [{}, { checkpointer: false as const }]) {
      const node = new MemoryNode(freshAddress());
      const model = writer();
      const outer = new StateGraph(MessagesAnnotation)
        .addNode("inner", createGraph(node, model).compile(inner))
        .addNode("called", async (state, config) =>
          createGraph(node, model)
            .compile()
            .invoke({ messages: state.messages.slice(0, 1) }, config),
        )
        .addEdge(START, "inner")
        .addEdge("inner", "called")
        .compile({ store });
      await outer.invoke(human, { configurable: { thread_id: "1" } });
      expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], ["/a"], ["/a"]]);
      expect(await openMemory(store, { nodeId: node.nodeId }).read("/a")).toBe("x\nx");
    }
  });

  it("uses it in an entrypoint and its tasks", async () => {
    const store = open();
    const node = new MemoryNode({ ...freshAddress(), scope: "perThread" });
    const model = writer();
    const callModel = new CallModelNode({ model, tools: node.memoryTools, memoryConnector: node.createConnector() });
    const callTool = task("call tool", (call: ToolCall) =>
      new ToolNode(node.memoryTools).invoke([new AIMessage({ content: "", tool_calls: [call] })]),
    );
    const run = entrypoint({ name: "run", store }, async (text: string) => {
      const asked = [new HumanMessage(text)];
      const { messages } = await callModel.invoke({ messages: asked });
      const call = (messages[0] as AIMessage).tool_calls?.[0];
      const answers = call ? ((await callTool(call)) as BaseMessage[]) : [];
      return (await callModel.invoke({ messages: [...asked, ...messages, ...answers] })).messages[0]?.text;
    });
    expect(await run.invoke("go", { configurable: { thread_id: "1" } })).toBe("done");
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"]]);
    const own = openMemory(store, { nodeId: node.nodeId, scope: "perThread", threadId: "1" });
    expect(await own.read("/a")).toBe("x");
  });

  it("is told of ENOTMEM where the run has no store, and the model is called without memory", async () => {
    const node = new MemoryNode(freshAddress());
    const model = writer();
    const errors: string[] = [];
    const callModel = new CallModelNode({
      model,
      tools: node.memoryTools,
      memoryConnector: node.createConnector({ onError: ({ code }) => errors.push(code) }),
    });
    const { messages } = await callModel.invoke(human);
    expect([messages.length, errors]).toEqual([1, ["ENOTMEM"]]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(node.memoryTools))
      .addEdge(START, "tools")
      .compile();
    const { messages: answers } = await graph.invoke({ messages });
    expect(answers.at(-1)?.text).toContain('"code":"ENOTMEM"');
  });

  it("can open the memory itself, in nodes and tools", async () => {
    const store = open();
    const { nodeId } = freshAddress();
    const look = tool(
      async (_args, config) => {
        const stores = [getStore(), (config as LangGraphRunnableConfig).store] as BaseStore[];
        return JSON.stringify(await Promise.all(stores.map((each) => openMemory(each, { nodeId }).read("/a"))));
      },
      { name: "look", description: "Looks.", schema: { type: "object", properties: {} } },
    );
    const model = new ScriptedChatModel((messages) =>
      messages.at(-1)?.type === "tool" ? "done" : { tool: "look", args: {} },
    );
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("prepare", async (_state, config: LangGraphRunnableConfig) => {
        if (config.store) await openMemory(config.store, { nodeId }).append("/a", "from the node");
        return {};
      })
      .addNode("call_model", new CallModelNode({ model, tools: [look] }))
      .addNode("tools", new ToolNode([look]))
      .addEdge(START, "prepare")
      .addEdge("prepare", "call_model")
      .addConditionalEdges("call_model", toolsCondition)
      .addEdge("tools", "call_model")
      .compile({ store });
    const { messages } = await graph.invoke(human);
    expect(messages.at(-2)?.text).toBe('["from the node","from the node"]');
  });
});

describe.each(storesUnderTest())("a node with %s of its own", (_name, open) => {
  it("uses that one, whatever store the run has", async () => {
    const [own, ofTheRun] = [open(), new InMemoryStore()];
    const node = new MemoryNode({ ...freshAddress(), store: own });
    const model = writer();
    await createGraph(node, model).compile({ store: ofTheRun }).invoke(human);
    expect(await getFiles(own, node.nodeId)).toEqual(["/a"]);
    expect(await getFiles(ofTheRun, node.nodeId)).toEqual([]);
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"]]);
  });
});

describe.each(storesUnderTest())("a command on %s that outlives its run", (_name, open) => {
  it("is carried out all the same, begun during the run or after it", async () => {
    const store = open();
    const { nodeId } = freshAddress();
    const later: Promise<void>[] = [];
    let kept: BaseStore | undefined;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("begin", (_state, config: LangGraphRunnableConfig) => {
        kept = config.store;
        if (!kept) throw new Error("the run has no store");
        const memory = openMemory(kept, { nodeId });
        later.push(
          memory.append("/begun", "x"),
          sleep(50).then(() => memory.append("/afterwards", "x")),
        );
        return {};
      })
      .addEdge(START, "begin")
      .compile({ store });
    await graph.invoke(human);
    await Promise.all(later);
    if (kept) await openMemory(kept, { nodeId }).append("/much later", "x");
    expect(await getFiles(store, nodeId)).toEqual(["/afterwards", "/begun", "/much later"]);
  });
});
