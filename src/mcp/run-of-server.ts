import type { MemoryRun } from "../dialects/memory-run.js";
import type { McpOwner } from "./options.js";

/** No client can say whose memory it is: the options of the server do. @param signal ends the calls of the memory */
export function runOfServer({ threadId, userId }: McpOwner, signal?: AbortSignal): MemoryRun {
  const configurable = { ...(threadId !== undefined && { thread_id: threadId }), ...(userId !== undefined && { user_id: userId }) };
  return { config: { configurable, ...(signal && { signal }) }, threadId, userId };
}
