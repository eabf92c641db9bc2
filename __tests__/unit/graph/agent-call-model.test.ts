import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { Agent } from "../../../src/graph/agent.js";
import { CallModelNode } from "../../../src/graph/call-model-node.js";

const turn = { messages: [new HumanMessage("hello")] };

// Requirement: ways-in.agent-call-model
it("an Agent runs the turns that begin later on the node it was set to, and the one under way on the old node", async () => {
  const second = new CallModelNode({ model: new ScriptedChatModel(() => "from the second"), systemPrompt: "second" });
  const change = tool(
    async () => {
      agent.setCallModel(second);
      return "changed";
    },
    { name: "change", description: "change", schema: { type: "object", properties: {} } },
  );
  const model = new ScriptedChatModel((messages) => (messages.at(-1)?.type === "tool" ? "from the first" : { tool: "change", args: {} }));
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
