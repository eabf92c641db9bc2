import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { MemoryNode, type MongoMemoryStore } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";
import { z } from "zod";

export const nodeId = "example-supervised-memory";

/**
 * An agent that reads mails of strangers. It may note anything, but policies change only if a person approves.
 * @param store a store with `history`, so that every change can be inspected and undone
 */
export function createMailAgent(model: BaseChatModel, store: MongoMemoryStore, mails: ReadonlyMap<string, string>) {
  const readMail = tool(({ name }) => mails.get(name) ?? `There is no ${name}.`, {
    name: "read_mail",
    description: "Reads a mail.",
    schema: z.object({ name: z.string() }),
  });
  const node = new MemoryNode({
    store,
    nodeId,
    rules: [{ path: "/policies/**", access: "ask" }],
    // Nobody watches the agent, so a person decides later. If a person is present, "interrupt" makes the run wait.
    onAsk: "propose",
  });
  return createAgent({
    model,
    tools: [readMail],
    systemPrompt: "You answer mails of customers. Note in your memory what others will need.",
    checkpointer: new MemorySaver(),
    middleware: [memoryMiddleware({ memory: node, content: "full" })],
  });
}
