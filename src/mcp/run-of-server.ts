import { randomUUID } from "node:crypto";
import type { Implementation } from "@modelcontextprotocol/server";
import { pickDefined } from "../core/settings/pick-defined.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import type { McpOwner } from "./options.js";

export interface McpCaller {
  /** The name and version that the client reports. */
  client: Implementation | undefined;
  /** An id of the session, if the transport has sessions. */
  session: string | undefined;
}

/**
 * Returns a function that names the callers of one connection. The session gets an id of its own, because the id of the
 * transport is a secret that opens the session.
 */
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
 * Creates the run for a server. Only the options of the server choose the owner of the memory, never a client.
 * @param signal ends the calls of the memory
 */
export function createServerRun(
  { threadId, userId }: McpOwner,
  signal?: AbortSignal,
  { client, session }: Partial<McpCaller> = {},
): MemoryRun {
  const configurable = pickDefined({ thread_id: threadId, user_id: userId });
  return {
    config: { configurable, ...(signal && { signal }) },
    threadId,
    userId,
    client: client && `${client.name} ${client.version}`,
    session,
  };
}
