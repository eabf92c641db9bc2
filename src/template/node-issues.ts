import { normalizeMountPoints } from "../core/mounts/mounts.js";
import { ROOT } from "../core/values/paths.js";
import { isRecord, toRecord } from "../core/values/unknown-values.js";
import type { Template } from "./definition.js";
import { isTemplate } from "./fields.js";
import { quote } from "./quote.js";

/** The parts of a node that a definition describes. */
export interface DefinedNode {
  /** Position of the node, for people. */
  at: string;
  id: string | undefined;
  template: Template | undefined;
  config: Record<string, unknown>;
}

export function readNode(source: unknown, index: number): DefinedNode {
  const { id, data } = toRecord(source);
  const { template, config } = toRecord(data);
  const at = `nodes[${index}]`;
  return {
    at: typeof id === "string" ? `node ${quote(id)} (${at})` : at,
    id: typeof id === "string" ? id : undefined,
    template: isTemplate(template) ? template : undefined,
    config: toRecord(config),
  };
}

/** Returns the issues of each node, and of the ids together, that a schema does not find. */
export function nodeIssues(nodes: readonly DefinedNode[]): string[] {
  const repeated = findRepeats(nodes, ({ id }) => id);
  return [
    ...nodes.flatMap(mountIssues),
    ...repeated.map(({ value, first }) => `${value.at}: id must be one that no other node has, and ${first.at} has it`),
  ];
}

export function getMountPath(point: string): string {
  return `data.config.mounts[${quote(point)}]`;
}

function mountIssues({ at, template, config: { mounts } }: DefinedNode): string[] {
  if (template !== "memory" || !isRecord(mounts)) return [];
  try {
    return normalizeMountPoints("data.config.mounts", mounts).flatMap(([point, mount]) => {
      if (!isRecord(mount)) return [];
      const { nodeId, scope } = mount;
      const path = getMountPath(point);
      if (point === ROOT && (nodeId !== undefined || scope !== undefined))
        return [`${at}: ${path} is the memory of the node itself, so its nodeId and scope belong in data.config`];
      if (point !== ROOT && nodeId === undefined)
        return [`${at}: ${path}.nodeId must be what the memory is called in the store (missing)`];
      return [];
    });
  } catch (error) {
    return [`${at}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Returns the values whose key an earlier value has, each with the first value of this key. */
export function findRepeats<Value>(
  values: readonly Value[],
  getKey: (value: Value) => string | undefined,
): { value: Value; first: Value }[] {
  const firsts = new Map<string, Value>();
  return values.flatMap((value) => {
    const key = getKey(value);
    if (key === undefined) return [];
    const first = firsts.get(key);
    if (first !== undefined) return [{ value, first }];
    firsts.set(key, value);
    return [];
  });
}
