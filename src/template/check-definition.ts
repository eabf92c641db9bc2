import { invalid } from "../core/values/errors.js";
import { getField } from "../core/values/unknown-values.js";
import { type AllowedNodeIds, nodeIdIssues } from "./allowed-node-ids.js";
import type { GraphDefinition } from "./definition.js";
import { edgeIssues } from "./edge-issues.js";
import { type DefinedNode, nodeIssues, readNode } from "./node-issues.js";
import { definitionSchema } from "./definition-schema.js";
import { schemaIssues } from "./schema-issues.js";

/** The most faults that a message names. */
const maxNamed = 100;

/**
 * Checks a definition, and returns a copy of it.
 *
 * @param allowedNodeIds the node ids that the definition's memories may have; any if it is missing
 * @throws MemoryError EINVAL that lists the issues, one on each line: a hundred, and how many more there are
 */
export function checkDefinition(source: unknown, allowedNodeIds?: AllowedNodeIds): GraphDefinition {
  // The copy has only checked fields. Editors may have saved any other fields outside the configs.
  const { data, error } = definitionSchema.safeParse(source);
  const issues = [...schemaIssues(source, error?.issues ?? []), ...findIssues(data ?? source, allowedNodeIds)];
  if (issues.length === 0) return data as GraphDefinition;
  const count = issues.length === 1 ? "1 fault" : `${issues.length} faults`;
  const named = issues.slice(0, maxNamed);
  if (issues.length > maxNamed) named.push(`and ${issues.length - maxNamed} more`);
  throw invalid([`invalid graph definition, ${count}:`, ...named.map((issue) => `- ${issue}.`)].join("\n"));
}

/** Returns the issues that a schema does not find. */
function findIssues(definition: unknown, allowedNodeIds: AllowedNodeIds | undefined): string[] {
  const nodes = toList(getField(definition, "nodes")).map(readNode);
  const byId = new Map<string, DefinedNode>();
  // If several nodes have one id, edges join the first of them.
  for (const node of nodes) if (node.id !== undefined && !byId.has(node.id)) byId.set(node.id, node);
  return [
    ...nodeIssues(nodes),
    ...Array.from(byId.values()).flatMap((node) => (allowedNodeIds ? nodeIdIssues(node, allowedNodeIds) : [])),
    ...edgeIssues(toList(getField(definition, "edges")), byId),
  ];
}

function toList(value: unknown): readonly unknown[] {
  // A hole of a sparse list is a missing node or edge.
  return Array.isArray(value) ? Array.from(value) : [];
}
