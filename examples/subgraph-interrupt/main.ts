import { deepEqual, doesNotMatch, match } from "node:assert/strict";
import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, interrupt, isInterrupted, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, MemoryNode, openMemory } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

const address = { nodeId: "example-subgraph-interrupt", scope: "perThread", threadId: "ada" } as const;
try {
  const memory = openMemory(store, address);
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");

  // Without a store of its own, a node uses that of the run, which a subgraph gets from the graph around it.
  const { nodeId, scope } = address;
  const memoryNode = new MemoryNode({ nodeId, scope });

  /**
   * Asks a person before the memory changes. A node that was interrupted runs again from its beginning: a command before
   * `interrupt` would be carried out twice, so that the tools have a node of their own.
   */
  const approve = ({ messages }: typeof MessagesAnnotation.State): Command => {
    const { tool_calls: calls = [] } = messages.at(-1) as AIMessage;
    if (interrupt(calls.map(({ args }) => args)) === "yes") return new Command({ goto: "tools" });
    const refusals = calls.map(({ id = "" }) => new ToolMessage({ tool_call_id: id, content: "The person said no." }));
    return new Command({ goto: "call_model", update: { messages: refusals } });
  };
  const assistant = new StateGraph(MessagesAnnotation)
    .addNode(
      "call_model",
      new CallModelNode({
        model,
        tools: memoryNode.memoryTools,
        systemPrompt: "You deliver parcels. Append to /delivery of your memory what you are told about it.",
        memoryConnector: memoryNode.createConnector({ content: "full" }),
      }),
    )
    .addNode("approve", approve, { ends: ["tools", "call_model"] })
    .addNode("tools", new ToolNode(memoryNode.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition, { tools: "approve", [END]: END })
    .addEdge("tools", "call_model")
    .compile();

  const graph = new StateGraph(MessagesAnnotation)
    .addNode("assistant", assistant)
    .addEdge(START, "assistant")
    .compile({ store, checkpointer: new MemorySaver() });

  const config = { configurable: { thread_id: address.threadId } };
  const notes = async (): Promise<string[]> => (await memory.snapshot()).files.map(({ path, content }) => `${path}: ${content}`);
  const ask = async (content: string, decision: string): Promise<string> => {
    say(`\n[ada] ${content}`);
    let state = await graph.invoke({ messages: [{ role: "user", content }] }, config);
    while (isInterrupted(state)) {
      say(`  To approve: ${JSON.stringify(state.__interrupt__[0]?.value)}`);
      say(`  The notes meanwhile: ${JSON.stringify(await notes())}\n  The person says ${decision}.`);
      state = await graph.invoke(new Command({ resume: decision }), config);
    }
    const answer = state.messages.at(-1)?.text ?? "";
    say(`  Answer: ${answer}`);
    return answer;
  };

  await ask("Please deliver to 5 Mill Lane.", "yes");
  const approved = await notes();
  match(approved.join(), /Mill Lane/, "an approved note is in the memory");
  await ask("My neighbour's door code is 4711.", "no");
  deepEqual(await notes(), approved, "a refused one is not, and the approved one is there once");
  match(await ask("Where do you deliver?", "no"), /Mill Lane/, "the subgraph is shown the memory");
  doesNotMatch(JSON.stringify(await graph.getState(config)), /<memory/, "what it is shown is not kept");

  say(`\nThe notes now: ${JSON.stringify(await notes())}`);
} finally {
  await close();
}
