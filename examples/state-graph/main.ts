import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, type Memory, MemoryNode } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

try {
  // One memory for each thread. A thread that has none yet is shown the node's global one.
  const memoryNode = new MemoryNode({ store, nodeId: "example-state-graph", scope: "perThread" });
  const shared = memoryNode.globalMemory();
  const [ada, bob] = [memoryNode.memory("ada"), memoryNode.memory("bob")];

  // An earlier run may have left notes in MongoDB.
  await Promise.all([shared, ada, bob].map((each) => each.delete("/")));
  await shared.write("/house rules", "Answer in one sentence.");

  const callModel = new CallModelNode({
    model,
    tools: memoryNode.memoryTools,
    systemPrompt: "You recommend dishes. Note in your memory what you learn about the guest.",
    memoryConnector: memoryNode.createConnector({ content: "full" }),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("tools", new ToolNode(memoryNode.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model")
    .compile();

  const ask = async (thread_id: string, content: string) => {
    say(`\n[${thread_id}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await graph.invoke({ messages: [{ role: "user", content }] }, config);
    say(`  Answer: ${messages.at(-1)?.text}`);
    return messages;
  };

  await ask("ada", "I am Ada, and I am vegetarian.");
  await ask("bob", "What shall I eat?");
  const messages = await ask("ada", "What shall I eat?");

  const notes = async (of: Memory) => (await of.snapshot()).files.map(({ path, content }) => `${path}: ${content}`);
  match(String(await notes(ada)), /vegetarian/i, "Ada's thread keeps what she said");
  doesNotMatch(String(await notes(bob)), /vegetarian/i, "Bob's thread never sees it");
  deepEqual(await notes(shared), ["/house rules: Answer in one sentence."], "the tool never writes to the global memory");
  equal(messages.some(({ type }) => type === "system"), false, "the memory is no part of the graph's state");

  say("\nAda's memory now:");
  for (const note of await notes(ada)) say(`  ${note}`);
} finally {
  await close();
}
