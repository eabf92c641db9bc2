import type { MemoryAddress } from "../../../src/core/values/address.js";
import type { Memory } from "../../../src/core/memory.js";
import { canary } from "../oracle.js";

/** Memories of others that a careless comparison takes for the one of a place. */
export async function plantNeighbours(
  open: (address: MemoryAddress) => Memory,
  { nodeId, threadId }: { nodeId: string; threadId: string },
): Promise<() => Promise<void>> {
  const addresses: MemoryAddress[] = [
    { nodeId: nodeId.toUpperCase(), scope: "perThread", threadId },
    { nodeId, scope: "perThread", threadId: `${threadId} ` },
    { nodeId: `${nodeId}/${threadId}` },
  ];
  const memories = addresses.map(open);
  for (const memory of memories) await memory.write("/notes", canary);
  return async () => {
    for (const memory of memories) {
      const { files } = await memory.snapshot();
      if (files.length !== 1 || files[0]?.content !== canary)
        throw new Error(`the memory of another was changed: ${JSON.stringify(memory.address)}`);
    }
  };
}
