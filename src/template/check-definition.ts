import { z } from "zod";
import { invalid } from "../core/errors.js";
import type { GraphDefinition } from "./definition.js";
import { type AllowedNodeIds, nodeIdFaults } from "./allowed-node-ids.js";
import { edgeFaults } from "./edge-faults.js";
import { fieldFaults, given, isRecord } from "./field-faults.js";
import { findNodes, nodeFaults } from "./node-faults.js";
import { plainCopy } from "./plain-copy.js";

const definitionFields = {
  nodes: z.array(z.unknown()).describe("a list of nodes"),
  edges: z.array(z.unknown()).describe("a list of edges"),
};

/**
 * A copy of a definition with which nothing is wrong.
 *
 * @param allowedNodeIds of its memories; any where it is missing
 * @throws MemoryError EINVAL that lists every fault, one a line
 */
export function checkDefinition(source: unknown, allowedNodeIds?: AllowedNodeIds): GraphDefinition {
  const definition = plainCopy(source);
  const faults = definitionFaults(definition, allowedNodeIds);
  if (faults.length === 0) return ownFields(definition as GraphDefinition);
  const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
  throw invalid([`invalid graph definition, ${count}:`, ...faults.map((fault) => `- ${fault}.`)].join("\n"));
}

function definitionFaults(definition: unknown, allowedNodeIds: AllowedNodeIds | undefined): string[] {
  if (!isRecord(definition)) return [`the definition must be an object { nodes, edges } (${given(definition)})`];
  const nodes = listOrEmpty(definition["nodes"]);
  const found = findNodes(nodes);
  return [
    ...fieldFaults("the definition", "", definition, definitionFields, { elsewhere: new Map() }),
    ...nodeFaults(nodes),
    ...(allowedNodeIds === undefined ? [] : nodeIdFaults(found.values(), allowedNodeIds)),
    ...edgeFaults(listOrEmpty(definition["edges"]), found),
  ];
}

/** Without what an editor has saved, which may be no JSON, and without fields that are undefined. */
function ownFields({ nodes, edges }: GraphDefinition): GraphDefinition {
  const own = {
    nodes: nodes.map(({ id, data: { template, config } }) => ({ id, data: { template, config } })),
    edges: edges.map(({ source, sourceHandle, target, targetHandle }) => ({ source, sourceHandle, target, targetHandle })),
  };
  return JSON.parse(JSON.stringify(own)) as GraphDefinition;
}

function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
