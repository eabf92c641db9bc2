import { quote, quoteAll } from "./field-faults.js";
import type { FoundNode } from "./node-faults.js";
import type { GraphContext } from "./parts.js";

export type AllowedNodeIds = NonNullable<GraphContext["allowedNodeIds"]>;

export function nodeIdFaults(nodes: Iterable<FoundNode>, allowed: AllowedNodeIds): string[] {
  return Array.from(nodes).flatMap(({ at, id, template, config }) => {
    const { nodeId = id } = config;
    if (template !== "memory" || typeof nodeId !== "string" || isAllowed(nodeId, allowed)) return [];
    const names = typeof allowed === "function" || allowed.length === 0 ? "" : `, one of ${quoteAll(allowed)}`;
    const source = config["nodeId"] === undefined ? ", the id of the node" : "";
    return [`${at}: data.config.nodeId must be one that allowedNodeIds has${names} (given ${quote(nodeId)}${source})`];
  });
}

function isAllowed(nodeId: string, allowed: AllowedNodeIds): boolean {
  // `unknown`, because an async function returns a promise, which must allow nothing.
  const answer: unknown = typeof allowed === "function" ? allowed(nodeId) : allowed.includes(nodeId);
  return answer === true;
}
