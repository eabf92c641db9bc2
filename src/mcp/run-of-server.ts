import type { Implementation } from "@modelcontextprotocol/server";
import type { MemoryRun } from "../dialects/memory-run.js";
import type { McpOwner } from "./options.js";

/**
 * No client can say whose memory it is: the options of the server do.
 * @param signal ends the calls of the memory
 * @param client as it calls itself
 */
export function runOfServer({ threadId, userId }: McpOwner, signal?: AbortSignal, client?: Implementation): MemoryRun {
  const configurable = { ...(threadId !== undefined && { thread_id: threadId }), ...(userId !== undefined && { user_id: userId }) };
  return { config: { configurable, ...(signal && { signal }) }, threadId, userId, client: client && nameOf(client) };
}

function nameOf({ name, version }: Implementation): string {
  return `${name} ${version}`;
}
