import type { ShownRead } from "../../langchain/read-in-run.js";
import { isObject } from "../../core/values/unknown-values.js";

/** Describes a batch that only reads, for the tree of a run. */
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

/** Takes an item or null (get), items (search), or namespaces (listNamespaces). */
function toRecords(answer: unknown): Record<string, unknown>[] {
  if (Array.isArray(answer)) {
    return typeof answer[0] === "string" ? [{ namespace: answer }] : answer.flatMap(toRecords);
  }
  if (answer === null || answer === undefined) return [];
  const { namespace, key, score }: Record<string, unknown> = isObject(answer) ? answer : {};
  return [{ namespace, key, ...(score !== undefined && { score }) }];
}
