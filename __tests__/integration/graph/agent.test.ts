import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
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
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { type Script, ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { Agent, MemoryNode, createMemoryPrompt, MemoryTool } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { brief, checkpointed, shownEntries, shownMemories } from "../../helpers/conversations.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";

const turn = (text: string) => ({ messages: [new HumanMessage(text)] });
const inThread = (thread_id: string) => ({ configurable: { thread_id } });

/** Calls the tools that the last human message names, one after the other, then answers. */
const obedient: Script = (messages) => {
  const asked = messages.findLastIndex(({ type }) => type === "human");
  const names = /^call (.*)$/.exec(messages[asked]?.text ?? "")?.[1]?.split(" ") ?? [];
  const name = names[messages.slice(asked).filter(({ type }) => type === "tool").length];
  return name === undefined ? "done" : { tool: name, args: { path: "/a", command: "append", content: "x" } };
};

function getNames(model: ScriptedChatModel): unknown[] {
  return model.boundTools.map((bound) => ("name" in bound ? bound.name : undefined));
}

function toolThat(name: string, run: () => string) {
  return tool(async () => run(), { name, description: name, schema: { type: "object", properties: {} } });
}

describe.each(storesUnderTest())("an Agent with %s", (_name, open) => {
  it("loops between model and tools, and remembers across turns and threads", async () => {
    const model = new ScriptedChatModel(obedient);
    const node = new MemoryNode(freshAddress());
    const checkpointer = new MemorySaver();
    const agent = new Agent({ model, tools: node.memoryTools, systemPrompt: "Be kind.", store: open(), checkpointer });
    agent.attachMemoryConnector(node.createConnector());
    await agent.invoke(turn("call memory"), inThread("1"));
    const { messages } = await agent.invoke(turn("hello"), inThread("2"));
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], ["/a"]]);
    expect(brief(messages)).toEqual(["human: hello", "ai: done"]);
    expect(await checkpointed(checkpointer, "1")).not.toMatch(/<memory |Be kind/);
  });

  it("can be stopped by an interrupt of a tool and resumed, and be a node of another graph", async () => {
    const model = new ScriptedChatModel(obedient);
    const ask = toolThat("ask", () => `the answer is ${String(interrupt("what?"))}`);
    const agent = new Agent({ model, tools: [ask] });
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent.graph)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver(), store: open() });
    const node = new MemoryNode(freshAddress());
    agent.attachMemoryConnector(node.createConnector());
    node.memoryTools.forEach((each) => agent.addTool(each));
    expect(await outer.invoke(turn("call ask"), inThread("1"))).toMatchObject({ __interrupt__: [{ value: "what?" }] });
    const { messages } = await outer.invoke(new Command({ resume: 42 }), inThread("1"));
    expect(brief(messages).slice(-2)).toEqual(["tool: the answer is 42", "ai: done"]);
    await outer.invoke(turn("call memory"), inThread("1"));
    expect(model.calls.map(shownEntries)).toEqual([[], [], [], ["/a"]]);
  });

  it("passes on a tool's command to the graph", async () => {
    const update = toolThat(
      "update",
      () => new Command({ update: { messages: [new HumanMessage("from the tool")] } }) as never,
    );
    const model = new ScriptedChatModel(obedient);
    const agent = new Agent({ model, tools: [update], store: open() });
    const { messages } = await agent.invoke(turn("call update"));
    expect(brief(messages)).toContain("human: from the tool");
  });

  it("streams what LangGraph streams", async () => {
    const model = new ScriptedChatModel(() => "one two");
    const agent = new Agent({ model, store: open() });
    const tokens: string[] = [];
    for await (const chunk of await agent.stream(turn("hello"), { streamMode: "messages" })) {
      const [message] = chunk as [BaseMessage, unknown];
      tokens.push(message.text);
    }
    expect(tokens).toEqual(["one ", "two"]);
  });
});

describe("an Agent", () => {
  const store = new InMemoryStore();

  it("is given and loses tools between turns", async () => {
    const model = new ScriptedChatModel(obedient);
    const agent = new Agent({ model, checkpointer: new MemorySaver() });
    await agent.invoke(turn("hello"), inThread("1"));
    expect(getNames(model)).toEqual([]);
    const ping = toolThat("ping", () => "pong");
    agent.addTool(ping);
    expect((await agent.invoke(turn("call ping"), inThread("1"))).messages.at(-2)?.text).toBe("pong");
    expect(getNames(model)).toEqual(["ping"]);
    agent.addTool(toolThat("other", () => "other"));
    agent.removeTool(ping);
    agent.removeTool("never there");
    await agent.invoke(turn("hello"), inThread("1"));
    expect(getNames(model)).toEqual(["other"]);
    const { messages } = await agent.invoke(turn("call ping"), inThread("1"));
    expect(messages.at(-2)).toMatchObject({ type: "tool", status: "error" });
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("refuses two tools of one name, and a model that is none", () => {
    const model = new ScriptedChatModel(obedient);
    const agent = new Agent({ model, tools: [new MemoryTool()] });
    expect(() => agent.addTool(new MemoryTool())).toThrow(TypeError);
    expect(() => new Agent({ model, tools: [new MemoryTool(), new MemoryTool()] })).toThrow("memory");
    agent.addTool(new MemoryTool({ name: "memory_2" }));
    expect(() => new Agent({ model: undefined as never })).toThrow(TypeError);
  });

  it("uses at once the tools added while a turn runs, and no longer those removed", async () => {
    const model = new ScriptedChatModel(obedient);
    const agent = new Agent({ model });
    agent.addTool(
      toolThat("swap", () => {
        agent.removeTool("swap");
        agent.addTool(toolThat("fresh", () => "fresh answer"));
        return "swapped";
      }),
    );
    const { messages } = await agent.invoke(turn("call swap fresh swap"));
    expect(brief(messages).filter((text) => text.startsWith("tool"))).toEqual([
      "tool: swapped",
      "tool: fresh answer",
      expect.stringContaining("not found"),
    ]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("shows another memory once its connector is attached, also in the middle of a turn", async () => {
    const [first, second] = [
      new MemoryNode({ ...freshAddress(), store }),
      new MemoryNode({ ...freshAddress(), store }),
    ];
    await first.memory().append("/first", "x");
    await second.memory().append("/second", "x");
    const model = new ScriptedChatModel(obedient);
    const agent = new Agent({ model });
    agent.attachMemoryConnector(first.createConnector());
    agent.addTool(
      toolThat("swap", () => {
        agent.attachMemoryConnector(second.createConnector());
        return "swapped";
      }),
    );
    await agent.invoke(turn("call swap"));
    await agent.invoke(turn("hello"));
    expect(model.calls.map(shownEntries)).toEqual([["/first"], ["/second"], ["/second"]]);
  });
});

describe.each(storesUnderTest())("createMemoryPrompt for createReactAgent with %s", (_name, open) => {
  it("shows prompt and memory at every call and keeps neither", async () => {
    const model = new ScriptedChatModel(obedient);
    const node = new MemoryNode({ ...freshAddress(), scope: "perThread" });
    const checkpointer = new MemorySaver();
    const agent = createReactAgent({
      llm: model,
      tools: node.memoryTools,
      prompt: createMemoryPrompt({ connector: node.createConnector(), systemPrompt: "Be kind." }),
      store: open(),
      checkpointer,
    });
    await agent.invoke(turn("call memory"), inThread("1"));
    const { messages } = await agent.invoke(turn("hello"), inThread("1"));
    await agent.invoke(turn("hello"), inThread("2"));
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], ["/a"], []]);
    for (const call of model.calls) {
      expect(call.filter(({ type }) => type === "system")).toHaveLength(1);
      expect(call[0]?.text).toMatch(/^Be kind\.(\n\n<memory |$)/);
      expect(shownMemories(call).length).toBeLessThan(2);
    }
    expect(messages.filter((message) => SystemMessage.isInstance(message))).toEqual([]);
    expect(await checkpointed(checkpointer, "1")).not.toMatch(/<memory |Be kind/);
  });

  it("takes a memory without a system prompt, and a separate message where asked", async () => {
    const node = new MemoryNode({ ...freshAddress(), store: open() });
    await node.memory().append("/a", "x");
    const model = new ScriptedChatModel(obedient);
    for (const [systemMessages, systemPrompt] of [
      ["auto", ""],
      ["separate", "Be kind."],
    ] as const) {
      const connector = node.createConnector({ systemMessages });
      const agent = createReactAgent({
        llm: model,
        tools: [],
        prompt: createMemoryPrompt({ connector, systemPrompt }),
      });
      await agent.invoke(turn("hello"));
    }
    expect(model.calls.map((call) => call.map(({ type }) => type))).toEqual([
      ["system", "human"],
      ["system", "system", "human"],
    ]);
    expect(model.calls.map(shownEntries)).toEqual([["/a"], ["/a"]]);
  });
});
