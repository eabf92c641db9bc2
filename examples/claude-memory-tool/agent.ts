import type { ChatAnthropic } from "@langchain/anthropic";
import type { BaseStore } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { MemoryNode } from "langgraph-mongo-memory";
import { createClaudeMemoryTool } from "langgraph-mongo-memory/claude";

/** Claude with its native memory tool. Claude's path /memories is the root of the memory. */
export function createClaudeAgent(model: ChatAnthropic, store: BaseStore) {
  const node = new MemoryNode({ store, nodeId: "example-claude-memory-tool" });
  return { node, agent: createAgent({ model, tools: [createClaudeMemoryTool(node)] }) };
}
