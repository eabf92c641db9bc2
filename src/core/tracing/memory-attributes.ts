import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import { getMemoryNamespace } from "../values/namespace.js";
import { maxPathChars } from "../values/paths.js";
import { shorten } from "../values/text.js";
import { capturesTexts, stringifyAny, type SpanAttributes } from "./tracing.js";

/** The address of a storage. */
export interface ServerAddress {
  address: string;
  port?: number;
}

/** A text that a call reads or writes. */
export interface SpanRecord {
  id: string;
  /** Missing if the call is about the name alone. */
  content?: unknown;
  score?: number;
  metadata?: object;
}

/** Returns the attributes that name the memory, the thread, the tool call, and the server. */
export function createPlaceAttributes(
  address: CheckedAddress,
  actor: MemoryActor | null,
  server: ServerAddress | undefined,
): SpanAttributes {
  return {
    ...storeAttributes(getMemoryNamespace(address)),
    ...(actor?.threadId !== undefined && { "gen_ai.conversation.id": actor.threadId }),
    ...(actor?.toolCallId !== undefined && { "gen_ai.tool.call.id": actor.toolCallId }),
    ...serverAttributes(server),
  };
}

/**
 * Returns a namespace of the store as one attribute, such as `memory/assistant/perThread/t1`. A slash in a label
 * becomes `%2F`.
 */
export function storeAttributes(namespace: readonly string[]): SpanAttributes {
  return { "gen_ai.memory.store.id": namespace.map((label) => label.replaceAll("/", "%2F")).join("/") };
}

export function serverAttributes(server: ServerAddress | undefined): SpanAttributes {
  if (server === undefined) return {};
  const { address, port } = server;
  return { "server.address": address, ...(port !== undefined && { "server.port": port }) };
}

/** Returns no attribute if the id is not a text, because the call refuses it. */
export function recordAttributes(id: unknown): SpanAttributes {
  return typeof id === "string" ? { "gen_ai.memory.record.id": shorten(id, maxPathChars) } : {};
}

/** Returns the query only if texts may be captured. */
export function queryAttributes(query: unknown): SpanAttributes {
  if (query === undefined || !capturesTexts()) return {};
  return { "gen_ai.memory.query.text": typeof query === "string" ? query : stringifyAny(query) };
}

/** Returns the number of records, and their texts only if texts may be captured. */
export function recordsAttributes(records: readonly SpanRecord[], count = records.length): SpanAttributes {
  const withContent = capturesTexts() ? records.filter(({ content }) => content !== undefined) : [];
  return {
    "gen_ai.memory.record.count": count,
    ...(withContent.length > 0 && { "gen_ai.memory.records": stringifyAny(withContent) }),
  };
}
