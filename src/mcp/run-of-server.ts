import { randomUUID } from "node:crypto";
import type { Implementation } from "@modelcontextprotocol/server";
import type { MemoryRun } from "../langchain/memory-run.js";
import type { McpOwner } from "./options.js";

/** Who calls a server. */
export interface McpCaller {
  /** As the client calls itself. */
  client: Implementation | undefined;
  /** Names the session, where the transport has sessions. */
  session: string | undefined;
}

/** Names the callers of one connection. The session has an id of its own here, as that of the transport opens it. */
export function createCallerReader(server: {
  getClientVersion(): Implementation | undefined;
}): (context: { sessionId?: string | undefined }) => McpCaller {
  let session: string | undefined;
  return ({ sessionId }) => ({
    client: server.getClientVersion(),
    session: sessionId === undefined ? undefined : (session ??= randomUUID()),
  });
}

/**
 * No client can say whose memory it is: the options of the server do.
 * @param signal ends the calls of the memory
 */
export function createServerRun(
  { threadId, userId }: McpOwner,
  signal?: AbortSignal,
  { client, session }: Partial<McpCaller> = {},
): MemoryRun {
  const configurable = {
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(userId !== undefined && { user_id: userId }),
  };
  return {
    config: { configurable, ...(signal && { signal }) },
    threadId,
    userId,
    client: client && getClientName(client),
    session,
  };
}

function getClientName({ name, version }: Implementation): string {
  return `${name} ${version}`;
}
