import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { MemoryNode, type MongoMemoryStore } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";
import { z } from "zod";

export const nodeId = "example-supervised-memory";

/**
 * An agent that reads what strangers write. It may note what it likes; policies change only if a person approves.
 * @param store with `history`, so that every change can be looked up and undone
 */
export function createMailAgent(model: BaseChatModel, store: MongoMemoryStore, mails: ReadonlyMap<string, string>) {
  const readMail = tool(({ name }) => mails.get(name) ?? `There is no ${name}.`, {
    name: "read_mail",
    description: "Reads a mail.",
    schema: z.object({ name: z.string() }),
  });
  const memory = new MemoryNode({
    store,
    nodeId,
    rules: [{ path: "/policies/**", access: "ask" }],
    // Nobody sits beside the agent: a person decides later. With a person there, "interrupt" lets the run wait.
    onAsk: "propose",
  });
  return createAgent({
    model,
    tools: [readMail],
    systemPrompt: "You answer mails of customers. Note in your memory what others will need.",
    checkpointer: new MemorySaver(),
    middleware: [memoryMiddleware({ memory, content: "full" })],
  });
}
