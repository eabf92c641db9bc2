import { deepEqual, doesNotMatch, match, throws } from "node:assert/strict";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { type Memory, MemoryNode, type StoreRun } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

/** Who is signed in to which conversation: yours to know. Nothing a model says comes near it. */
const customerOf = new Map([
  ["chat-1", "ada@example.com"],
  ["chat-2", "bob@example.com"],
  ["chat-3", "ada@example.com"],
]);

/** One memory for each customer instead of each thread. A conversation without a customer is refused with EINVAL. */
class CustomerMemory extends MemoryNode {
  override memoryForRun(run: StoreRun): Memory {
    return super.memoryForRun({ ...run, threadId: customerOf.get(run.threadId ?? "") });
  }
}

try {
  const customers = new CustomerMemory({ store, nodeId: "example-customer-support", scope: "perThread" });
  const rules = new MemoryNode({ store, nodeId: "example-customer-support rules" });
  const [ada, bob] = [customers.memory("chat-1"), customers.memory("chat-2")];

  // An earlier run may have left notes in MongoDB.
  await Promise.all([ada, bob, rules.memory()].map((memory) => memory.delete("/")));
  await rules.memory().write("/house rules", "Never promise a date.");

  const agent = createAgent({
    model,
    systemPrompt: "You help customers. Note in your memory what you learn about them.",
    checkpointer: new MemorySaver(),
    middleware: [
      // Shown to every call, and out of the model's reach: only programs write them.
      memoryMiddleware({ memory: rules, tools: false, content: "full" }),
      memoryMiddleware({ memory: customers, content: "full" }),
    ],
  });

  const ask = async (thread_id: string, content: string): Promise<string> => {
    say(`\n[${thread_id}, ${customerOf.get(thread_id) ?? "nobody"}] ${content}`);
    const config = { configurable: { thread_id }, callbacks: [new MessagePrinter()] };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    const answer = messages.at(-1)?.text ?? "";
    say(`  Answer: ${answer}`);
    return answer;
  };

  await ask("chat-1", "I run Linux. Is there an update?");
  await ask("chat-2", "How do I update?");
  const toAda = await ask("chat-3", "How do I update?");

  const notes = async (of: Memory): Promise<string[]> => (await of.snapshot()).files.map(({ content }) => content);
  match(toAda, /Linux/, "a later conversation of Ada's knows what she said");
  doesNotMatch((await notes(bob)).join(), /Linux/, "Bob's memory does not");
  throws(() => customers.memory("chat-4"), { code: "EINVAL" }, "nobody is signed in there, so that there is no memory");
  deepEqual(await notes(rules.memory()), ["Never promise a date."], "the rules are as the program wrote them");

  say(`\nNotes about Ada: ${(await notes(ada)).join("\n")}`);
} finally {
  await close();
}
