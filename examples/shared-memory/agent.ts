import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseStore } from "@langchain/langgraph";
import { Agent, MemoryNode, MemoryTool } from "langgraph-mongo-memory";

/** Three agents with one memory. Two of them write to it, and the desk may only read it. */
export function createAgents(models: Record<"roads" | "weather" | "desk", BaseChatModel>, store: BaseStore) {
  const node = new MemoryNode({ store, nodeId: "example-shared-memory" });
  const writing = new MemoryTool({ memory: node });
  // The model is offered only these commands. Any other command is answered with EACCES.
  const reading = new MemoryTool({ memory: node, commands: ["read", "list"] });

  const createAgent = (model: BaseChatModel, tool: MemoryTool, systemPrompt: string): Agent => {
    const agent = new Agent({ model, tools: [tool], systemPrompt });
    agent.attachMemoryConnector(node.createConnector({ content: "full" }));
    return agent;
  };
  const roads = createAgent(
    models.roads,
    writing,
    "You watch the roads. Append each report to /findings of your memory.",
  );
  const weather = createAgent(
    models.weather,
    writing,
    "You watch the weather. Append each report to /findings of your memory.",
  );
  const desk = createAgent(
    models.desk,
    reading,
    "You answer drivers by the findings of your memory. Do with it what they ask.",
  );
  return { node, reading, roads, weather, desk };
}
