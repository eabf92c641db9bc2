import { isRecord, quote, quoteAll } from "./field-faults.js";
import { mountPath, mountsOf } from "./mount-faults.js";
import type { FoundNode } from "./node-faults.js";
import type { GraphContext } from "./parts.js";

export type AllowedNodeIds = NonNullable<GraphContext["allowedNodeIds"]>;

export function nodeIdFaults(nodes: Iterable<FoundNode>, allowed: AllowedNodeIds): string[] {
  const names = typeof allowed === "function" || allowed.length === 0 ? "" : `, one of ${quoteAll(allowed)}`;
  return Array.from(nodes).flatMap(({ at, id, template, config }) => {
    if (template !== "memory") return [];
    const fault = (path: string, nodeId: unknown, source = ""): string[] =>
      typeof nodeId !== "string" || isAllowed(nodeId, allowed)
        ? []
        : [`${at}: ${path} must be one that allowedNodeIds has${names} (given ${quote(nodeId)}${source})`];
    const own =
      config["nodeId"] === undefined
        ? fault("data.config.nodeId", id, ", the id of the node")
        : fault("data.config.nodeId", config["nodeId"]);
    const mounted = mountsOf(config).flatMap(([point, mount]) =>
      fault(`${mountPath(point)}.nodeId`, isRecord(mount) ? mount["nodeId"] : undefined),
    );
    return [...own, ...mounted];
  });
}

function isAllowed(nodeId: string, allowed: AllowedNodeIds): boolean {
  // `unknown`, because an async function returns a promise, which must allow nothing.
  const answer: unknown = typeof allowed === "function" ? allowed(nodeId) : allowed.includes(nodeId);
  return answer === true;
}
