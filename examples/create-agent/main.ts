import { equal, match } from "node:assert/strict";
import { createAgent } from "langchain";
import { MemoryNode, openMemory } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

const nodeId = "example-create-agent";
try {
  const memory = openMemory(store, { nodeId });
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");

  // Without a store of its own, a node uses that of the agent. Its scope is global: every thread shares the memory.
  const memoryNode = new MemoryNode({ nodeId });
  const agent = createAgent({
    model,
    store,
    systemPrompt: "You help the operations team. Note in your memory what others will need.",
    middleware: [
      memoryMiddleware({
        memory: memoryNode,
        content: "full",
        // Behind the conversation, so that a changed memory leaves a provider's prompt cache of it intact.
        placement: "last_message",
        onError: (error) => console.error("the model was called without its memory:", error.code),
      }),
    ],
  });

  const ask = async (thread_id: string, content: string) => {
    say(`\n[${thread_id}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    say(`  Answer: ${messages.at(-1)?.text}`);
    return messages;
  };

  await ask("monday", "Staging moved to port 8443. Please remember it.");
  const messages = await ask("tuesday", "On which port is staging?");

  match(JSON.stringify(await memory.snapshot()), /8443/, "the note is in the store");
  match(messages.at(-1)?.text ?? "", /8443/, "another thread answers from it");
  equal(messages.length, 2, "question and answer: the memory is no part of the agent's state");

  say("\nThe memory now:");
  for (const { path, content } of (await memory.snapshot()).files) say(`  ${path}: ${content}`);
} finally {
  await close();
}
