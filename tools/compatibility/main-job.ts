import { deepEqual, equal, match } from "node:assert/strict";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { Agent, MemoryNode, MongoMemoryStore } from "langgraph-mongo-memory";

/** Notes what it is told by one call of the memory tool, then repeats what it sees of its memory. */
class NotingModel extends BaseChatModel {
  override _llmType(): string {
    return "noting";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const seen = messages.map((message) => message.text).join("\n");
    const args = { command: "append", path: "/notes", content: "vegetarian" };
    const isNoted = seen.includes("vegetarian");
    const message = new AIMessage(isNoted ? seen : { content: "", tool_calls: [{ name: "memory", args, id: "call" }] });
    return { generations: [{ text: message.text, message }] };
  }
}

/**
 * What the package is for, on whatever versions are installed: two turns of an agent, 20 appends at once, the store.
 */
export async function mainJob(uri: string): Promise<void> {
  const store = await MongoMemoryStore.fromConnString(uri);
  try {
    const node = new MemoryNode({ store, nodeId: "assistant", scope: "perThread" });
    const agent = new Agent({ model: new NotingModel({}), tools: node.memoryTools, systemPrompt: "You cook." });
    agent.attachMemoryConnector(node.createConnector({ content: "full" }));
    const config = { configurable: { thread_id: "ada@example.com" } };
    const ask = async (content: string): Promise<string> => {
      const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
      return messages.at(-1)?.text ?? "";
    };
    await ask("I eat no meat.");
    match(await ask("What do I eat?"), /^You cook\.[^]*\/notes[^]*vegetarian/);

    const memory = node.memory("ada@example.com");
    equal(await memory.read("/notes"), "vegetarian");
    await Promise.all(Array.from({ length: 20 }, (_, index) => memory.append("/log", `line ${index}`)));
    equal((await memory.read("/log")).split("\n").length, 20);

    await store.put(["users", "ada"], "settings", { theme: "dark" });
    const found = await store.search(["users"], { filter: { theme: "dark" } });
    deepEqual(
      found.map(({ key }) => key),
      ["settings"],
    );
  } finally {
    await store.stop();
  }
}
