import type { RunnableConfig } from "@langchain/core/runnables";
import { type MemoryAddress, MemoryNode, type MongoMemoryStore } from "../../src/index.js";

/** Rules of a node for which a person is asked about every change, which is proposed. */
export const proposesAll = { rules: [{ path: "/**", access: "ask" as const }], onAsk: "propose" as const };

export function createAskingNode(
  store: MongoMemoryStore,
  { nodeId, scope = "global" }: Pick<MemoryAddress, "nodeId" | "scope">,
): MemoryNode {
  return new MemoryNode({ store, nodeId, scope, ...proposesAll });
}

/** Proposes a change as an agent does, by the unified tool. @returns the id of the proposal */
export async function propose(
  { memoryTools: [tool] }: Pick<MemoryNode, "memoryTools">,
  args: Readonly<Record<string, string>>,
  config: RunnableConfig = {},
): Promise<string> {
  const answer = String(await tool?.invoke(args as never, config));
  return (JSON.parse(answer) as { result: { proposal: string } }).result.proposal;
}
