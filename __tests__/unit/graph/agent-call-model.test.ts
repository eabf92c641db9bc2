import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { InMemoryStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { Agent, CallModelNode, MemoryNode, createMemoryPrompt } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { shownEntries } from "../../helpers/conversations.js";

const turn = { messages: [new HumanMessage("hello")] };

it("an Agent runs the turns that begin later on the node it was set to, and the one under way on the old node", async () => {
  const second = new CallModelNode({ model: new ScriptedChatModel(() => "from the second"), systemPrompt: "second" });
  const change = tool(
    async () => {
      agent.setCallModel(second);
      return "changed";
    },
    { name: "change", description: "change", schema: { type: "object", properties: {} } },
  );
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "tool" ? "from the first" : { tool: "change", args: {} },
  );
  const agent = new Agent({ model, tools: [change] });
  const answer = async () => (await agent.invoke(turn)).messages.at(-1)?.text;
  expect(await answer()).toBe("from the first");
  expect(agent.callModel).toBe(second);
  expect(await answer()).toBe("from the second");
});

it("an Agent refuses a node that is no CallModelNode, and keeps its own", () => {
  const agent = new Agent({ model: new ScriptedChatModel(() => "x") });
  const { callModel } = agent;
  for (const wrong of [undefined, {}, new ScriptedChatModel(() => "x")]) {
    expect(() => agent.setCallModel(wrong as never)).toThrow(TypeError);
  }
  expect(agent.callModel).toBe(callModel);
});

it("a MemoryNode is shown by its connector wherever a connector is taken", async () => {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
  await node.memory().append("/a", "x");
  const model = new ScriptedChatModel(() => "done");
  const callModel = new CallModelNode({ model });
  callModel.setMemoryConnector(node);
  const agent = new Agent({ model });
  agent.attachMemoryConnector(node);
  await callModel.invoke(turn);
  await agent.invoke(turn);
  await new Agent({ model, memoryConnector: node }).invoke(turn);
  await createReactAgent({ llm: model, tools: [], prompt: createMemoryPrompt({ connector: node }) }).invoke(turn);
  expect(model.calls.map(shownEntries)).toEqual([["/a"], ["/a"], ["/a"], ["/a"]]);
});

it.each([null, {}, "M", new ScriptedChatModel(() => "x")])(
  "what shows no memory is refused as a connector at once: %j",
  (wrong) => {
    const message = /must be a MemoryConnectorNode or a MemoryNode/;
    const model = new ScriptedChatModel(() => "x");
    expect(() => new Agent({ model }).attachMemoryConnector(wrong as never)).toThrow(message);
    expect(() => new CallModelNode({ model, memoryConnector: wrong as never })).toThrow(message);
    expect(() => createMemoryPrompt({ connector: wrong as never })).toThrow(message);
  },
);

it("a connector is refused by addNode, and told where it belongs", () => {
  const connector = new MemoryNode(freshAddress()).createConnector();
  expect(() => new StateGraph(MessagesAnnotation).addNode("memory", connector as never)).toThrow(
    /cannot be a node of a StateGraph: give it to setMemoryConnector/,
  );
});

// The likeliest mistake: LangGraph makes a node that does nothing of any object that is no Runnable.
it("a MemoryNode is refused by addNode, and told what to add instead", () => {
  const memoryNode = new MemoryNode(freshAddress());
  expect(() => new StateGraph(MessagesAnnotation).addNode("memory", memoryNode as never)).toThrow(
    /a MemoryNode cannot be a node of a StateGraph: add a CallModelNode with its memoryTools and its createConnector\(\)/,
  );
  expect(() => new StateGraph(MessagesAnnotation).addNode({ memory: memoryNode as never })).toThrow(TypeError);
  expect(() => new StateGraph(MessagesAnnotation).addSequence({ memory: memoryNode as never })).toThrow(TypeError);
});

it("an Agent is a node of another graph, which runs it", async () => {
  const agent = new Agent({ model: new ScriptedChatModel(() => "hello") });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent as never)
    .addEdge(START, "agent")
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage("hi")] });
  expect(messages.map(({ text }) => text)).toEqual(["hi", "hello"]);
});
