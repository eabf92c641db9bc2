import { checkAddress, type MemoryAddress } from "../../core/values/address.js";
import { getMemoryNamespace } from "../../core/values/namespace.js";
import {
  queryAttributes,
  recordAttributes,
  recordsAttributes,
  serverAttributes,
  type ServerAddress,
  type SpanRecord,
  storeAttributes,
} from "../../core/tracing/memory-attributes.js";
import type { MemoryOperation, SpanAttributes, TracedCall } from "../../core/tracing/tracing.js";
import type { ForgottenCounts, MemoryOwner, SweptCounts } from "./addresses/memory-filter.js";
import { isObject } from "../../core/values/unknown-values.js";

/** The fields of an operation of a batch that is not checked yet. */
type Fields = Partial<Record<"namespace" | "namespacePrefix" | "key" | "value" | "query", unknown>>;

/** Returns the span of a batch. A batch of one operation also reports the namespace and key. */
export function spanOfBatch(operations: unknown, server: ServerAddress | undefined): TracedCall<readonly unknown[]> {
  const all = Array.isArray(operations)
    ? operations.map((operation: unknown): Fields => (isObject(operation) ? { ...operation } : {}))
    : [];
  const puts = all.filter(isPut);
  const [only] = all.length === 1 ? all : [];
  return {
    operation: getOperationName(puts, all.length),
    isRemote: server !== undefined,
    attributes: () => ({
      ...(only && getPlaceAttributes(only)),
      ...(puts.length > 0 && recordsAttributes(puts.map(createSpanRecord))),
      ...serverAttributes(server),
    }),
    answered: (answers) => (puts.length > 0 ? {} : recordsAttributes(answers.flatMap(foundIn))),
  };
}

/** Returns the span of a page of summaries. */
export function spanOfPage(server: ServerAddress | undefined): TracedCall<{ summaries: readonly unknown[] }> {
  return {
    operation: "search_memory",
    isRemote: server !== undefined,
    attributes: () => serverAttributes(server),
    answered: ({ summaries }) => recordsAttributes([], summaries.length),
  };
}

/** Returns the span of `forget`. @param who null: the span does not name an address */
export function spanOfForget(
  server: ServerAddress | undefined,
  who: MemoryAddress | MemoryOwner | null = null,
): TracedCall<ForgottenCounts> {
  return {
    operation: "delete_memory_store",
    isRemote: server !== undefined,
    attributes: () => ({
      ...(who !== null && "nodeId" in who && storeAttributes(getMemoryNamespace(checkAddress(who)))),
      ...serverAttributes(server),
    }),
    answered: ({ files }) => recordsAttributes([], files),
  };
}

/** Returns the span of `sweepExpired`. */
export function spanOfSweep(server: ServerAddress | undefined): TracedCall<SweptCounts> {
  return {
    operation: "delete_memory_store",
    isRemote: server !== undefined,
    attributes: () => serverAttributes(server),
    answered: ({ memories }) => recordsAttributes([], memories),
  };
}

function getOperationName(puts: readonly Fields[], count: number): MemoryOperation {
  if (puts.length === 0) return "search_memory";
  return puts.length === count && puts.every(({ value }) => value === null) ? "delete_memory" : "upsert_memory";
}

function isPut(operation: Fields): boolean {
  return "value" in operation;
}

function getPlaceAttributes({ namespace, namespacePrefix, key, query }: Fields): SpanAttributes {
  const labels = [namespace, namespacePrefix].find(
    (each): each is string[] => Array.isArray(each) && each.every((label) => typeof label === "string"),
  );
  return { ...(labels && storeAttributes(labels)), ...recordAttributes(key), ...queryAttributes(query) };
}

function createSpanRecord({ key, value }: Fields): SpanRecord {
  return { id: String(key), ...(value !== null && { content: value }) };
}

/**
 * Collects records from an answer. A get answers an item or null, a search answers items, a listing answers namespaces.
 */
function foundIn(answer: unknown): SpanRecord[] {
  // A namespace is one record of its joined labels, without content.
  if (Array.isArray(answer))
    return typeof answer[0] === "string" ? [{ id: answer.join("/") }] : answer.flatMap(foundIn);
  if (!isObject(answer)) return [];
  const { key, value, score } = answer;
  return [{ id: String(key), content: value, ...(typeof score === "number" && { score }) }];
}
