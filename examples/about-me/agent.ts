import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MemorySaver } from "@langchain/langgraph";
import express, { type Express, type RequestHandler } from "express";
import { createAgent } from "langchain";
import { MemoryNode, type MongoMemoryStore } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";
import { createMemoryPage } from "langgraph-mongo-memory/page";

/** An agent with one memory for each customer. */
export function createSupportAgent(model: BaseChatModel, store: MongoMemoryStore) {
  const node = new MemoryNode({ store, nodeId: "example-about-me", scope: "perUser" });
  const agent = createAgent({
    model,
    systemPrompt: "You help customers. Note in your memory what you learn about them.",
    checkpointer: new MemorySaver(),
    middleware: [memoryMiddleware({ memory: node, content: "full" })],
  });
  return { agent, node };
}

/**
 * An application in which each customer sees, searches, corrects, exports and deletes what the agent remembers about
 * them, and nothing else.
 *
 * @param signIn your own middleware, such as Passport, which sets `user` of the request
 */
export function createApp(store: MongoMemoryStore, node: MemoryNode, signIn: RequestHandler): Express {
  const page = createMemoryPage({
    store,
    nodes: [node],
    basePath: "/my-memory",
    access: "write",
    authorize: (_request, { nodeRequest }) => {
      // Only Express calls this page, after `signIn`.
      const { user } = nodeRequest as unknown as { user?: { id: string } };
      return user === undefined ? false : { owner: { userId: user.id } };
    },
  });
  const app = express();
  app.use(signIn);
  app.use("/my-memory", page.nodeListener);
  return app;
}
