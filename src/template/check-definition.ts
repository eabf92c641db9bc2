import { z } from "zod";
import { invalid } from "../core/values/errors.js";
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
 * Checks a definition, and returns a copy of it.
 *
 * @param allowedNodeIds the node ids that its memories may have; any if it is missing
 * @throws MemoryError EINVAL that lists every fault, one on each line
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

/** Leaves out fields that are undefined, and what an editor has saved, which may not be JSON. */
function ownFields({ nodes, edges }: GraphDefinition): GraphDefinition {
  const own = {
    nodes: nodes.map(({ id, data: { template, config } }) => ({ id, data: { template, config } })),
    edges: edges.map(({ source, sourceHandle, target, targetHandle }) => ({
      source,
      sourceHandle,
      target,
      targetHandle,
    })),
  };
  return JSON.parse(JSON.stringify(own)) as GraphDefinition;
}

function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
