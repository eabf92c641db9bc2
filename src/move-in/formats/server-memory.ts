import { toOneLine } from "../../core/values/text.js";
import { getField, toRecord } from "../../core/values/unknown-values.js";
import { createNote, type MoveInEntry, type MoveInNote, type MoveInSource } from "../entry.js";
import { toPath } from "../names.js";
import { readRecords } from "../read/records.js";

/**
 * The knowledge graph of the MCP reference server (2026.8.31): `memory.jsonl` or `memory.json`, or the answer of
 * `read_graph`. Each entity becomes a file in the directory of its type, with a line for each observation and relation.
 */
export async function* readServerMemory(source: MoveInSource): AsyncGenerator<MoveInEntry | MoveInNote> {
  // Relations stand before or after their entity.
  const items: GraphItem[] = [];
  for await (const item of readGraph(source))
    if (item.kind === "note") yield item;
    else items.push(item);
  const relations = groupRelations(items);
  for (const { kind, value, what } of items) if (kind === "entity") yield toEntry(value, what, relations);
  for (const [from, lines] of relations)
    for (const line of lines) yield createNote(`relation: ${from} ${line}`, "there is no entity of this name");
}

interface GraphItem {
  kind: "entity" | "relation";
  value: unknown;
  what: string;
}

async function* readGraph(source: MoveInSource): AsyncGenerator<GraphItem | MoveInNote> {
  for await (const record of readRecords(source)) {
    if (record.kind === "note") {
      yield record;
      continue;
    }
    const { what, value: given } = record;
    // As a client of MCP stores the answer of the tool.
    const value = getField(given, "structuredContent") ?? given;
    const { entities, relations, type } = toRecord(value);
    if (Array.isArray(entities) && Array.isArray(relations)) {
      for (const [index, each] of entities.entries())
        yield { kind: "entity", value: each, what: `${what}, entity ${index + 1}` };
      for (const [index, each] of relations.entries()) yield toRelation(each, `${what}, relation ${index + 1}`);
    } else if (type === "relation") yield toRelation(value, what);
    else if (type === "entity") yield { kind: type, value, what };
    else yield createNote(what, "it is not an entity or a relation");
  }
}

function toRelation(value: unknown, what: string): GraphItem | MoveInNote {
  return toLine(value) === null ? createNote(what, "it is not a complete relation") : { kind: "relation", value, what };
}

/** Returns the lines of all relations, by the entity that they begin at. */
function groupRelations(items: readonly GraphItem[]): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const { kind, value } of items) {
    if (kind !== "relation") continue;
    const from = String(getField(value, "from"));
    const known = lines.get(from) ?? [];
    known.push(toLine(value) ?? "");
    lines.set(from, known);
  }
  return lines;
}

function toLine(relation: unknown): string | null {
  const { from, to, relationType } = toRecord(relation);
  const isWhole = [from, to, relationType].every((part) => typeof part === "string");
  return isWhole ? `${String(relationType)} ${String(to)}` : null;
}

/** Takes the relations of the entity out of the map. */
function toEntry(value: unknown, what: string, relations: Map<string, string[]>): MoveInEntry | MoveInNote {
  const { name, entityType = "", observations = [] } = toRecord(value);
  if (typeof name !== "string" || typeof entityType !== "string" || !Array.isArray(observations))
    return createNote(what, "it is not a complete entity");
  const texts = observations.filter((each) => typeof each === "string");
  const lines = [...texts, ...(relations.get(name) ?? [])].map((line) => `- ${toOneLine(line)}\n`);
  const lost = observations.length - texts.length;
  relations.delete(name);
  const { path, shortened } = toPath([...(entityType === "" ? [] : [entityType]), `${name}.md`]);
  const losses = [shortened, lost === 0 ? undefined : `left out: ${lost} observations that are no text`];
  return {
    path,
    shortened: losses.filter((each) => each !== undefined).join("; ") || undefined,
    content: `# ${name.replaceAll(/\s+/g, " ")}\n\n${lines.join("")}`,
    sources: [`server-memory:${name}`],
    what: `entity ${name}`,
  };
}
