import { capturesTexts, stringifyAny } from "../../core/tracing/tracing.js";
import type { FoundRecord, ShownRead } from "../../langchain/read-in-run.js";
import { isObject } from "../../core/values/unknown-values.js";

/** What the tree of a run shows of a batch that only reads. */
export function describeBatch(operations: unknown): ShownRead<readonly unknown[]> {
  const place = Array.isArray(operations) ? operations.map(describeOperation).join(", ") : "";
  return { name: "memory store", place, found: (answers) => answers.flatMap(toRecords) };
}

function describeOperation(operation: unknown): string {
  const {
    namespace,
    namespacePrefix = namespace,
    key,
  }: Record<string, unknown> = isObject(operation) ? { ...operation } : {};
  const labels: readonly unknown[] = Array.isArray(namespacePrefix) ? namespacePrefix : [];
  const parts = key === undefined ? labels : [...labels, key];
  return parts.map((part) => (typeof part === "string" ? part : "")).join("/");
}

/** From an item or null of a get, the items of a search, or the namespaces of a listing. */
function toRecords(answer: unknown): FoundRecord[] {
  if (Array.isArray(answer)) {
    return typeof answer[0] === "string" ? [{ metadata: { namespace: answer } }] : answer.flatMap(toRecords);
  }
  if (answer === null || answer === undefined) return [];
  const { namespace, key, value, score }: Record<string, unknown> = isObject(answer) ? answer : {};
  const metadata = { namespace, key, ...(score !== undefined && { score }) };
  return [{ ...(capturesTexts() && { text: stringifyAny(value) }), metadata }];
}
