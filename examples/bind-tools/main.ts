import { equal, match, ok } from "node:assert/strict";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { MemoryNode } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}\n`);

try {
  const memoryNode = new MemoryNode({ store, nodeId: "example-bind-tools" });
  const memory = memoryNode.memory();
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");

  const [memoryTool] = memoryNode.memoryTools;
  const withTools = model.bindTools?.(memoryNode.memoryTools);
  ok(memoryTool && withTools, "a model that can call tools");
  const connector = memoryNode.createConnector({ content: "tree" });
  const config = { callbacks: [new MessagePrinter()] };

  // The conversation is ours to keep. The memory is shown to each call and never added to it.
  const messages: BaseMessage[] = [
    new SystemMessage("You keep the task list of a garden in /tasks/garden of your memory. Look there first."),
    new HumanMessage("To do: water the beans, sow kale. The beans are watered already."),
  ];
  for (let turn = 0; turn < 10; turn += 1) {
    const answer = await withTools.invoke(await connector.inject(messages, config, model), config);
    messages.push(answer);
    if (!answer.tool_calls?.length) break;
    for (const call of answer.tool_calls) messages.push(await memoryTool.invoke({ ...call, type: "tool_call" }, config));
  }
  say(`  Answer: ${messages.at(-1)?.text}`);

  equal(messages.filter(({ type }) => type === "system").length, 1, "the conversation holds no memory message");
  ok(messages.every(({ text }) => !text.includes("<memory")), "nor a memory in another message");
  match(JSON.stringify(await memory.snapshot()), /beans/, "the list is in the store");

  say("\nThe memory now:");
  for (const { path, content } of (await memory.snapshot()).files) say(`  ${path}:\n${content.replaceAll(/^/gm, "    ")}`);
} finally {
  await close();
}
