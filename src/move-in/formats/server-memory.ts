import { invalid } from "../../core/values/errors.js";
import { getField, toRecord } from "../../core/values/unknown-values.js";
import type { MoveInEntry, MoveInFormat, MoveInNote } from "../item.js";
import { toPath } from "../names.js";
import { readRecords } from "../read/records.js";

/**
 * The knowledge graph of the MCP reference server: `memory.jsonl` or `memory.json`, or the answer of `read_graph`. Each
 * entity becomes a file in the directory of its type, with a line for each observation and relation.
 */
export const serverMemory: MoveInFormat = {
  version: "@modelcontextprotocol/server-memory 2026.8.31",
  takes: ["file"],
  async *read(source) {
    // Relations stand before or after their entity.
    if (typeof source !== "string") throw invalid("the source must be the path of a file, because it is read twice");
    const relations = await readRelations(source);
    for await (const item of readGraph(source))
      if ("why" in item) yield item;
      else if (item.type === "entity") yield toEntry(item.value, item.what, relations);
    for (const [from, lines] of relations)
      for (const line of lines) yield { what: `relation: ${from} ${line}`, why: "there is no entity of this name" };
  },
};

interface GraphItem {
  type: "entity" | "relation";
  value: unknown;
  what: string;
}

async function* readGraph(file: string): AsyncGenerator<GraphItem | MoveInNote> {
  for await (const record of readRecords(file)) {
    if ("why" in record) {
      yield record;
      continue;
    }
    const { what, value: given } = record;
    // As a client of MCP stores the answer of the tool.
    const value = getField(given, "structuredContent") ?? given;
    const { entities, relations, type } = toRecord(value);
    if (Array.isArray(entities) && Array.isArray(relations)) {
      for (const [index, each] of entities.entries())
        yield { type: "entity", value: each, what: `${what}, entity ${index + 1}` };
      for (const [index, each] of relations.entries()) yield toRelation(each, `${what}, relation ${index + 1}`);
    } else if (type === "relation") yield toRelation(value, what);
    else if (type === "entity") yield { type, value, what };
    else yield { what, why: "it is not an entity or a relation" };
  }
}

function toRelation(value: unknown, what: string): GraphItem | MoveInNote {
  return toLine(value) === null ? { what, why: "it is not a complete relation" } : { type: "relation", value, what };
}

/** Reads the lines of all relations, by the entity that they begin at. */
async function readRelations(file: string): Promise<Map<string, string[]>> {
  const lines = new Map<string, string[]>();
  for await (const item of readGraph(file)) {
    if ("why" in item || item.type !== "relation") continue;
    const from = String(getField(item.value, "from"));
    const known = lines.get(from) ?? [];
    known.push(toLine(item.value) ?? "");
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
  const isEntity =
    typeof name === "string" &&
    typeof entityType === "string" &&
    Array.isArray(observations) &&
    observations.every((each) => typeof each === "string");
  if (!isEntity) return { what, why: "it is not a complete entity" };
  const lines = [...observations, ...(relations.get(name) ?? [])].map(
    (line) => `- ${line.replaceAll(/\s*\n\s*/g, " ")}\n`,
  );
  relations.delete(name);
  return {
    ...toPath([...(entityType === "" ? [] : [entityType]), `${name}.md`]),
    content: `# ${name.replaceAll(/\s+/g, " ")}\n\n${lines.join("")}`,
    sources: [`server-memory:${name}`],
    what: `entity ${name}`,
  };
}
