import { z } from "zod";
import { invalid } from "../core/errors.js";
import type { GraphDefinition } from "./definition.js";
import { edgeFaults } from "./edge-faults.js";
import { fieldFaults, given, isRecord } from "./field-faults.js";
import { findNodes, nodeFaults } from "./node-faults.js";

const definitionFields = {
  nodes: z.array(z.unknown()).describe("a list of nodes"),
  edges: z.array(z.unknown()).describe("a list of edges"),
};

/** A copy of a definition with which nothing is wrong. @throws MemoryError EINVAL that lists every fault, one a line */
export function checkDefinition(definition: unknown): GraphDefinition {
  const faults = definitionFaults(definition);
  // Not `structuredClone`, which refuses the proxies by which user interfaces watch what they edit.
  if (faults.length === 0) return JSON.parse(JSON.stringify(definition)) as GraphDefinition;
  const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
  throw invalid([`invalid graph definition, ${count}:`, ...faults.map((fault) => `- ${fault}.`)].join("\n"));
}

function definitionFaults(definition: unknown): string[] {
  if (!isRecord(definition)) return [`the definition must be an object { nodes, edges } (${given(definition)})`];
  const nodes = listOrEmpty(definition["nodes"]);
  return [
    ...fieldFaults("the definition", "", definition, definitionFields),
    ...nodeFaults(nodes),
    ...edgeFaults(listOrEmpty(definition["edges"]), findNodes(nodes)),
  ];
}

function listOrEmpty(value: unknown): readonly unknown[] {
  // Holes of a sparse array are missing nodes or edges, too; only Array.from lets them be seen.
  return Array.isArray(value) ? Array.from(value) : [];
}
