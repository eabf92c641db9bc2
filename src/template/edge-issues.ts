import { preview } from "../core/values/text.js";
import { toRecord } from "../core/values/unknown-values.js";
import { edgeKinds, givesMemory, type GraphJoin } from "./definition.js";
import { edgeSchema } from "./fields.js";
import { quote, quoteAll } from "./quote.js";
import { type DefinedNode, findRepeats } from "./node-issues.js";

/** An edge of an allowed kind, between two nodes that exist. */
interface Join {
  at: string;
  edge: GraphJoin;
  source: DefinedNode;
  target: DefinedNode;
}

type Nodes = ReadonlyMap<string, DefinedNode>;

const kinds = edgeKinds.map((kind) => `${kind.source}.${kind.sourceHandle} -> ${kind.target}.${kind.targetHandle}`);

/** Returns the issues of each edge, and of the edges together, that a schema does not find. */
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

/** Returns the join of an edge, or its issues. Empty if other issues already report the mistake. */
function readJoin(value: unknown, index: number, nodes: Nodes): Join | string[] {
  const at = edgeLabel(value, index);
  const known = nodes.size > 0 ? `, one of ${quoteAll(nodes.keys())}` : "";
  const issues = (["source", "target"] as const).flatMap((end) => {
    const id = toRecord(value)[end];
    return typeof id !== "string" || nodes.has(id)
      ? []
      : [`${at}: ${end} must be the id of a node${known} (given ${preview(id)})`];
  });
  const { data: edge } = edgeSchema.safeParse(value);
  if (issues.length > 0 || edge === undefined) return issues;
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

/** Names an edge by its ends, for people. */
export function edgeLabel(edge: unknown, index: number): string {
  const { source, sourceHandle, target, targetHandle } = toRecord(edge);
  const parts = [source, sourceHandle, target, targetHandle];
  if (!parts.every((part) => typeof part === "string")) return `edges[${index}]`;
  return `edge ${quote(`${parts[0]}.${parts[1]} -> ${parts[2]}.${parts[3]}`)} (edges[${index}])`;
}
