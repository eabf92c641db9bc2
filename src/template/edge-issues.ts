import { edgeKinds, givesMemory, type GraphJoin } from "./definition.js";
import { isRecord } from "../core/values/unknown-values.js";
import { fieldIssues, findRepeats, given, quote, quoteAll, toRecord } from "./field-issues.js";
import { edgeFields } from "./fields.js";
import type { DefinedNode } from "./node-issues.js";

/** An edge of an allowed kind, between two nodes that exist. */
interface Join {
  at: string;
  edge: GraphJoin;
  source: DefinedNode;
  target: DefinedNode;
}

type Nodes = ReadonlyMap<string, DefinedNode>;

const kinds = edgeKinds.map((kind) => `${kind.source}.${kind.sourceHandle} -> ${kind.target}.${kind.targetHandle}`);

/** Returns the issues of each edge, and of the edges together. */
export function edgeIssues(edges: readonly unknown[], nodes: Nodes): string[] {
  const joins: Join[] = [];
  const issues = edges.flatMap((edge, index) => {
    const join = readJoin(edge, index, nodes);
    if (Array.isArray(join)) return join;
    joins.push(join);
    return [];
  });
  return [...issues, ...issuesOfJoins(joins), ...missingMemories(edges.map(toRecord), nodes)];
}

/** Returns the join of an edge, or its issues. Empty if the issues of the nodes already report the mistake. */
function readJoin(value: unknown, index: number, nodes: Nodes): Join | string[] {
  const place = `edges[${index}]`;
  if (!isRecord(value))
    return [`${place} must be an object { source, sourceHandle, target, targetHandle } (${given(value)})`];
  const at = edgeLabel(value, place);
  const known = nodes.size > 0 ? `, one of ${quoteAll(nodes.keys())}` : "";
  const issues = [
    ...fieldIssues(at, "", value, edgeFields, { configNames: [] }),
    ...(["source", "target"] as const)
      .filter((end) => typeof value[end] === "string" && !nodes.has(value[end]))
      .map((end) => `${at}: ${end} must be the id of a node${known} (${given(value[end])})`),
  ];
  if (issues.length > 0) return issues;
  // `edgeFields` has checked these fields.
  const edge = value as GraphJoin & typeof value;
  const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
  if (!source?.template || !target?.template) return [];
  const kind = `${source.template}.${edge.sourceHandle} -> ${target.template}.${edge.targetHandle}`;
  if (!kinds.includes(kind)) return [`${at}: no edge goes ${kind}; there are ${kinds.join(", ")}`];
  return { at, edge, source, target };
}

/** Finds equal edges, second memories of a node, and equal names among the tools of an agent. */
function issuesOfJoins(joins: readonly Join[]): string[] {
  const equal = findRepeats(joins, ({ edge }) => JSON.stringify([edge.source, edge.target]));
  const repeats = new Set(equal.map(({ value }) => value));
  const once = joins.filter((join) => !repeats.has(join));
  const memories = findRepeats(once, ({ edge }) => (givesMemory(edge.targetHandle) ? edge.target : undefined));
  const tools = findRepeats(once, ({ edge, target }) =>
    edge.sourceHandle === "tools" ? JSON.stringify([edge.source, toolName(target)]) : undefined,
  );
  return [
    ...equal.map(({ value, first }) => `${value.at}: says again what ${first.at} says; leave one of them out`),
    ...memories.map(
      ({ value: { at, target }, first }) =>
        `${at}: ${target.at} takes one edge at $memory, and has ${first.at}; leave one of them out`,
    ),
    ...tools.map(
      ({ value: { source, target }, first }) =>
        `${target.at}: data.config.name must differ for each tool of ${source.at}; ` +
        `${first.target.at} is called ${quote(toolName(target))}, too`,
    ),
  ];
}

function toolName({ config }: DefinedNode): string {
  return typeof config["name"] === "string" ? config["name"] : "memory";
}

/**
 * Finds connectors without a memory. A tool needs none: it answers ENOTMEM. An edge counts even if it has other issues.
 */
function missingMemories(edges: readonly Record<string, unknown>[], nodes: Nodes): string[] {
  const ends = new Set(edges.map(({ target, targetHandle }) => (givesMemory(targetHandle) ? target : undefined)));
  return Array.from(nodes)
    .filter(([id, { template }]) => template === "memoryConnector" && !ends.has(id))
    .map(
      ([, { at }]) =>
        `${at}: a memoryConnector must have a memory; add an edge memory.$self -> memoryConnector.$memory`,
    );
}

function edgeLabel({ source, sourceHandle, target, targetHandle }: Record<string, unknown>, place: string): string {
  const parts = [source, sourceHandle, target, targetHandle];
  if (!parts.every((part) => typeof part === "string")) return place;
  return `edge ${quote(`${parts[0]}.${parts[1]} -> ${parts[2]}.${parts[3]}`)} (${place})`;
}
