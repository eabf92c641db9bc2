import { edgeKinds, givesMemory, type GraphJoin } from "./definition.js";
import { fieldFaults, given, isRecord, quote, quoteAll } from "./field-faults.js";
import { edgeFields } from "./fields.js";
import type { FoundNode } from "./node-faults.js";

/** An edge of an allowed kind, between two nodes that exist. */
interface Join {
  at: string;
  edge: GraphJoin;
  source: FoundNode;
  target: FoundNode;
}

type Nodes = ReadonlyMap<string, FoundNode>;

const kinds = edgeKinds.map((kind) => `${kind.source}.${kind.sourceHandle} -> ${kind.target}.${kind.targetHandle}`);

/** The faults of each edge by itself, and of the edges together. */
export function edgeFaults(edges: readonly unknown[], nodes: Nodes): string[] {
  const joins: Join[] = [];
  const faults = edges.flatMap((edge, index) => {
    if (!isRecord(edge))
      return [`edges[${index}] must be an object { source, sourceHandle, target, targetHandle } (${given(edge)})`];
    const at = edgeLabel(edge, index);
    const found = [
      ...fieldFaults(at, "", edge, edgeFields, { elsewhere: new Map() }),
      ...danglingEnds(at, edge, nodes),
    ];
    const join = findJoin(at, edge, nodes);
    if (typeof join === "string") return [...found, join];
    if (join) joins.push(join);
    return found;
  });
  const [once, repeated] = withoutRepeated(joins);
  return [...faults, ...repeated, ...secondMemories(once), ...equalToolNames(once), ...withoutMemory(edges, nodes)];
}

function danglingEnds(at: string, edge: Record<string, unknown>, nodes: Nodes): string[] {
  return (["source", "target"] as const).flatMap((end) => {
    const id = edge[end];
    if (typeof id !== "string" || nodes.has(id)) return [];
    return [
      `${at}: ${end} must be the id of a node${nodes.size > 0 ? `, one of ${quoteAll(nodes.keys())}` : ""} (${given(id)})`,
    ];
  });
}

/** The join of an edge, or its fault, or undefined if other faults already say what is wrong. */
function findJoin(at: string, edge: Record<string, unknown>, nodes: Nodes): Join | string | undefined {
  if (!isEdge(edge)) return undefined;
  const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
  if (!source?.template || !target?.template) return undefined;
  const kind = `${source.template}.${edge.sourceHandle} -> ${target.template}.${edge.targetHandle}`;
  return kinds.includes(kind)
    ? { at, edge, source, target }
    : `${at}: no edge goes ${kind}; there are ${kinds.join(", ")}`;
}

function isEdge(edge: Record<string, unknown>): edge is Record<string, unknown> & GraphJoin {
  return Object.entries(edgeFields).every(([name, field]) => field.safeParse(edge[name]).success);
}

function withoutRepeated(joins: readonly Join[]): [once: Join[], faults: string[]] {
  const first = firstBy(joins, ({ edge }) => JSON.stringify([edge.source, edge.target]));
  const repeated = joins.filter((join) => first(join) !== join);
  const once = joins.filter((join) => first(join) === join);
  return [once, repeated.map((join) => `${join.at}: says again what ${first(join)?.at} says; leave one of them out`)];
}

function secondMemories(joins: readonly Join[]): string[] {
  const intoMemory = joins.filter(({ edge }) => givesMemory(edge.targetHandle));
  const first = firstBy(intoMemory, ({ target }) => target.id);
  return intoMemory
    .filter((join) => first(join) !== join)
    .map(
      (join) =>
        `${join.at}: ${join.target.at} takes one edge at $memory, and has ${first(join)?.at}; leave one of them out`,
    );
}

function equalToolNames(joins: readonly Join[]): string[] {
  const tools = joins.filter(({ edge }) => edge.sourceHandle === "tools");
  const first = firstBy(tools, ({ source, target }) => JSON.stringify([source.id, toolName(target)]));
  return tools.flatMap((join) => {
    const other = first(join);
    if (other === undefined || other === join) return [];
    const name = quote(toolName(join.target));
    return [
      `${join.target.at}: data.config.name must differ for each tool of ${join.source.at}; ${other.target.at} is called ${name}, too`,
    ];
  });
}

function toolName({ config }: FoundNode): string {
  return typeof config["name"] === "string" ? config["name"] : "memory";
}

/** A connector needs a memory. A tool does not: it answers ENOTMEM. An edge counts even if it has other faults. */
function withoutMemory(edges: readonly unknown[], nodes: Nodes): string[] {
  const ends = new Set(
    edges
      .filter(isRecord)
      .filter(({ targetHandle }) => givesMemory(targetHandle))
      .map(({ target }) => target),
  );
  return Array.from(nodes.values())
    .filter(({ id, template }) => template === "memoryConnector" && !ends.has(id))
    .map(
      ({ at }) => `${at}: a memoryConnector must have a memory; add an edge memory.$self -> memoryConnector.$memory`,
    );
}

/** Finds the first join that has the same key as a given one. */
function firstBy(joins: readonly Join[], keyOf: (join: Join) => string): (join: Join) => Join | undefined {
  const first = new Map<string, Join>();
  for (const join of joins) if (!first.has(keyOf(join))) first.set(keyOf(join), join);
  return (join) => first.get(keyOf(join));
}

function edgeLabel({ source, sourceHandle, target, targetHandle }: Record<string, unknown>, index: number): string {
  const parts = [source, sourceHandle, target, targetHandle];
  if (!parts.every((part) => typeof part === "string")) return `edges[${index}]`;
  return `edge ${quote(`${parts[0]}.${parts[1]} -> ${parts[2]}.${parts[3]}`)} (edges[${index}])`;
}
