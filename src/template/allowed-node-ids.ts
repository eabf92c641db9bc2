import { toRecord } from "../core/values/unknown-values.js";
import { quote, quoteAll } from "./quote.js";
import { type DefinedNode, getMountPath } from "./node-issues.js";
import type { GraphContext } from "./parts.js";

export type AllowedNodeIds = NonNullable<GraphContext["allowedNodeIds"]>;

export function nodeIdIssues({ at, id, template, config }: DefinedNode, allowed: AllowedNodeIds): string[] {
  if (template !== "memory") return [];
  const names = typeof allowed === "function" || allowed.length === 0 ? "" : `, one of ${quoteAll(allowed)}`;
  const check = (path: string, nodeId: unknown, source = ""): string[] =>
    typeof nodeId !== "string" || isAllowed(nodeId, allowed)
      ? []
      : [`${at}: ${path} must be one that allowedNodeIds has${names} (given ${quote(nodeId)}${source})`];
  const { nodeId, mounts } = config;
  return [
    ...(nodeId === undefined
      ? check("data.config.nodeId", id, ", the id of the node")
      : check("data.config.nodeId", nodeId)),
    ...Object.entries(toRecord(mounts)).flatMap(([point, mount]) =>
      check(`${getMountPath(point)}.nodeId`, toRecord(mount)["nodeId"]),
    ),
  ];
}

function isAllowed(nodeId: string, allowed: AllowedNodeIds): boolean {
  // Must be exactly true. An async function returns a promise, which allows nothing.
  const answer: unknown = typeof allowed === "function" ? allowed(nodeId) : allowed.includes(nodeId);
  return answer === true;
}
