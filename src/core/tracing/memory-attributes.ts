import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import { getMemoryNamespace } from "../values/namespace.js";
import { maxPathChars } from "../values/paths.js";
import { shorten } from "../values/text.js";
import { capturesTexts, stringifyAny, type SpanAttributes } from "./tracing.js";

/** Where a storage is. */
export interface ServerAddress {
  address: string;
  port?: number;
}

/** A text that a call reads or writes. */
export interface SpanRecord {
  id: string;
  /** Left out where only the name was asked for. */
  content?: unknown;
  score?: number;
  metadata?: object;
}

/** Of which memory, for whom, and where. */
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
 * `memory/assistant/perThread/t1`: a namespace of the store, such as the one in which it shows a memory. A slash of a
 * label is `%2F`.
 */
export function storeAttributes(namespace: readonly string[]): SpanAttributes {
  return { "gen_ai.memory.store.id": namespace.map((label) => label.replaceAll("/", "%2F")).join("/") };
}

export function serverAttributes(server: ServerAddress | undefined): SpanAttributes {
  if (server === undefined) return {};
  const { address, port } = server;
  return { "server.address": address, ...(port !== undefined && { "server.port": port }) };
}

/** Nothing for what is no text: the call will refuse it. */
export function recordAttributes(id: unknown): SpanAttributes {
  return typeof id === "string" ? { "gen_ai.memory.record.id": shorten(id, maxPathChars) } : {};
}

/** Only where texts may be captured. */
export function queryAttributes(query: unknown): SpanAttributes {
  if (query === undefined || !capturesTexts()) return {};
  return { "gen_ai.memory.query.text": typeof query === "string" ? query : stringifyAny(query) };
}

/** How many there are; the texts only where they may be captured. */
export function recordsAttributes(records: readonly SpanRecord[], count = records.length): SpanAttributes {
  const withContent = capturesTexts() ? records.filter(({ content }) => content !== undefined) : [];
  return {
    "gen_ai.memory.record.count": count,
    ...(withContent.length > 0 && { "gen_ai.memory.records": stringifyAny(withContent) }),
  };
}
