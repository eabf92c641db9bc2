import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { Annotation, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { CallModelNode, MemoryNode, type MemoryConnectorConfig } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { brief, checkpointed, shownEntries, shownMemories } from "../../helpers/conversations.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";

/** Notes what it is told to note, under the name it is told. */
function noteTaker(): ScriptedChatModel {
  return new ScriptedChatModel((messages) => {
    const [, path, content] =
      /^note (\S+) (.*)$/.exec(messages.findLast(({ type }) => type !== "system")?.text ?? "") ?? [];
    return path === undefined ? "Noted." : { tool: "memory", args: { path, command: "append", content } };
  });
}

function createGraph(store: BaseStore, scope: "global" | "perThread", config: MemoryConnectorConfig = {}) {
  const model = noteTaker();
  const node = new MemoryNode({ ...freshAddress(), store, scope });
  const callModel = new CallModelNode({
    model,
    tools: node.memoryTools,
    systemPrompt: "You take notes.",
    memoryConnector: node.createConnector(config),
  });
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("tools", new ToolNode(node.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model")
    .compile({ checkpointer });
  const ask = async (thread_id: string, text: string): Promise<BaseMessage[]> =>
    (await graph.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id } })).messages;
  return { model, node, graph, checkpointer, ask };
}

describe.each(storesUnderTest())("a memory of a StateGraph on %s", (_name, open) => {
  it("is in every model call, once, and never in the state", async () => {
    const { model, node, graph, checkpointer, ask } = createGraph(open(), "global", { content: "full" });
    await node.memory().append("/rules", "The password is swordfish.");
    await ask("1", "note /a first");
    const answered = await ask("1", "note /b second");
    expect(model.calls).toHaveLength(4);
    for (const call of model.calls) {
      expect(shownMemories(call)).toEqual([expect.stringContaining("swordfish")]);
      expect(call.filter(({ type }) => type === "system")).toHaveLength(1);
      expect(call[0]?.text).toMatch(/^You take notes\.\n\n<memory /);
    }
    const done = (path: string) => `tool: {"command":"append","path":"${path}","ok":true,"result":{"status":"ok"}}`;
    const conversation = [
      "human: note /a first",
      "ai: ",
      done("/a"),
      "ai: Noted.",
      "human: note /b second",
      "ai: ",
      done("/b"),
    ];
    expect(brief(model.calls[3] ?? []).slice(1)).toEqual(conversation);
    expect(brief(answered)).toEqual([...conversation, "ai: Noted."]);
    const { values } = await graph.getState({ configurable: { thread_id: "1" } });
    expect(brief(values.messages as BaseMessage[])).toEqual(brief(answered));
    expect(await checkpointed(checkpointer, "1")).not.toMatch(/swordfish|<memory |You take notes/);
  });

  it("shows what was written at the next model call, in this thread and in others", async () => {
    const { model, ask } = createGraph(open(), "global");
    await ask("1", "note /a first");
    await ask("2", "hello");
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], ["/a"]]);
    await ask("2", "note /dir/b second");
    await ask("1", "hello");
    expect(model.calls.slice(3).map(shownEntries)).toEqual([
      ["/a"],
      ["/a", "/dir/", "/dir/b"],
      ["/a", "/dir/", "/dir/b"],
    ]);
  });

  it("of scope perThread keeps threads apart and shows the node's global one to those that have none", async () => {
    const { model, node, ask } = createGraph(open(), "perThread");
    await ask("1", "note /a first");
    await ask("2", "hello");
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], []]);
    expect(shownMemories(model.calls[1] ?? [])[0]).toMatch(/^<memory scope="perThread"/);
    await node.globalMemory().append("/shared", "for all");
    await ask("1", "hello");
    await ask("2", "hello");
    expect(model.calls.slice(3).map(shownEntries)).toEqual([["/a"], ["/shared"]]);
    expect(shownMemories(model.calls[4] ?? [])[0]).toMatch(/^<memory scope="global"/);
    await ask("2", "note /b second");
    expect(shownEntries(model.calls.at(-1) ?? [])).toEqual(["/b"]);
    expect((await node.globalMemory().snapshot()).files.map(({ path }) => path)).toEqual(["/shared"]);
  });

  it.each(["after_system", "before_system", "last_message"] as const)(
    "never piles up when placed %s",
    async (placement) => {
      const { model, node, checkpointer, ask } = createGraph(open(), "global", { placement });
      await node.memory().append("/rules", "x");
      for (const turn of ["one", "note /a x", "three"]) await ask("1", turn);
      for (const call of model.calls) expect(shownMemories(call)).toHaveLength(1);
      if (placement === "last_message") {
        for (const call of model.calls)
          expect([call[0]?.text, call.at(-1)?.type]).toEqual(["You take notes.", "human"]);
      }
      expect(await checkpointed(checkpointer, "1")).not.toContain("<memory ");
    },
  );

  it("keeps every command of a message that calls the tool many times at once", async () => {
    const node = new MemoryNode({ ...freshAddress(), store: open() });
    const calls = Array.from({ length: 20 }, (_, index) => ({
      type: "tool_call" as const,
      id: `call-${index}`,
      name: "memory",
      args: { path: "/a", command: "append", content: `line ${index}` },
    }));
    const { messages } = (await new ToolNode(node.memoryTools).invoke({
      messages: [new AIMessage({ content: "", tool_calls: calls })],
    })) as { messages: BaseMessage[] };
    expect(messages.map((message) => (message as ToolMessage).tool_call_id)).toEqual(calls.map(({ id }) => id));
    expect((await node.memory().read("/a")).split("\n").toSorted()).toEqual(
      calls.map(({ args }) => args.content).toSorted(),
    );
  });

  it("serves a graph whose state has further keys", async () => {
    const State = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string> });
    const { model, node } = createGraph(open(), "global");
    await node.memory().append("/rules", "x");
    const graph = new StateGraph(State)
      .addNode("call_model", new CallModelNode({ model, memoryConnector: node.createConnector() }))
      .addEdge(START, "call_model")
      .compile();
    const state = await graph.invoke({ messages: [new HumanMessage("hello")], topic: "food" });
    expect([state.topic, brief(state.messages)]).toEqual(["food", ["human: hello", "ai: Noted."]]);
    expect(shownEntries(model.calls[0] ?? [])).toEqual(["/rules"]);
    expect((await graph.getGraphAsync()).drawMermaid()).toContain("call_model");
  });
});
