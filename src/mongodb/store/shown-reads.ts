import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import { capturesTexts, jsonOf } from "../../core/tracing/tracing.js";
import type { FoundRecord, ShownRead } from "../../langchain/read-in-run.js";

/** What the tree of a run shows of a batch that only reads. */
export function shownBatch(operations: unknown): ShownRead<readonly unknown[]> {
  const places = Array.isArray(operations) ? operations.map(placeOf) : [];
  return { name: "memory store", place: places.join(", "), found: (answers) => answers.flatMap(recordsOf) };
}

function placeOf(operation: unknown): string {
  const {
    namespace,
    namespacePrefix = namespace,
    key,
  } = (operation ?? {}) as { namespace?: unknown; namespacePrefix?: unknown; key?: unknown };
  const labels: readonly unknown[] = Array.isArray(namespacePrefix) ? namespacePrefix : [];
  return [...labels, ...(key === undefined ? [] : [key])]
    .map((each) => (typeof each === "string" ? each : ""))
    .join("/");
}

/** Of a get an item or null, of a search items, of a listing namespaces. */
function recordsOf(answer: unknown): FoundRecord[] {
  if (Array.isArray(answer))
    return typeof answer[0] === "string" ? [{ metadata: { namespace: answer } }] : answer.flatMap(recordsOf);
  if (answer === null || answer === undefined) return [];
  const { namespace, key, value, score } = answer as Item & Partial<SearchItem>;
  return [
    {
      ...(capturesTexts() && { text: jsonOf(value) }),
      metadata: { namespace, key, ...(score !== undefined && { score }) },
    },
  ];
}
