import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import type { BaseStore } from "@langchain/langgraph";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { MemoryNode } from "langgraph-mongo-memory";
import { DeepAgentsBackend } from "langgraph-mongo-memory/deepagents";
import { z } from "zod";

/** Replaces a search engine. */
const catalogue = new Map([
  ["halley", "1P/Halley: period 75 years, next perihelion 2061"],
  ["encke", "2P/Encke: period 3.3 years"],
]);

const lookUp = tool(({ comet }) => catalogue.get(comet.toLowerCase()) ?? "unknown", {
  name: "look_up",
  description: "Looks a comet up in a catalogue, which is slow.",
  schema: z.object({ comet: z.string() }),
});

export function createMemoryNode(store: BaseStore): MemoryNode {
  return new MemoryNode({ store, nodeId: "example-deepagents-research" });
}

/** A deep agent whose directory /memories/ is a memory. Its other files exist only in the conversation. */
export function createResearchAgent(model: BaseChatModel, node: MemoryNode) {
  return createDeepAgent({
    model,
    tools: [lookUp],
    systemPrompt:
      "You do research on comets. What lies in /memories stays, everything else goes with the conversation.",
    backend: new CompositeBackend(new StateBackend(), { "/memories/": new DeepAgentsBackend(node) }),
    memory: ["/memories/AGENTS.md"],
  });
}
