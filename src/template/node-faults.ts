import { z } from "zod";
import type { Template } from "./definition.js";
import { fieldFaults, given, isRecord, quote, quoteAll } from "./field-faults.js";
import { configFields, idField } from "./fields.js";
import { mountFaults } from "./mount-faults.js";

/** What edges need to know of a node, as far as the definition tells it. */
export interface FoundNode {
  /** Where it is, for people. */
  at: string;
  id: string;
  /** Missing if it is not a known one. */
  template?: Template;
  config: Record<string, unknown>;
}

const record = z.custom<object>(isRecord);
const templates = Object.keys(configFields) as Template[];

const nodeFields = { id: idField, data: record.describe("an object { template, config }") };

const dataFields = {
  template: z.custom<Template>(isTemplate).describe(`one of ${quoteAll(templates)}`),
  config: record.optional().describe("an object"),
};

/** The faults of each node by itself, and of the ids together. */
export function nodeFaults(nodes: readonly unknown[]): string[] {
  const faults = nodes.flatMap((node, index) => {
    if (!isRecord(node))
      return [`nodes[${index}] must be an object { id, data: { template, config } } (${given(node)})`];
    const [at, { data }] = [nodeLabel(node, index), node];
    const { template, config } = isRecord(data) ? data : {};
    const places = optionalPlaces(template);
    const nodePlaces = new Map([...places].filter(([name]) => !editorLabels.has(name)));
    return [
      ...fieldFaults(at, "", node, nodeFields, { elsewhere: nodePlaces }),
      ...(isRecord(data) ? fieldFaults(at, "data.", data, dataFields, { elsewhere: places }) : []),
      ...(isTemplate(template) && isRecord(config) ? configFaults(at, template, config) : []),
    ];
  });
  return [...faults, ...repeatedIds(nodes)];
}

function configFaults(at: string, template: Template, config: Record<string, unknown>): string[] {
  if (template !== "memory") return fieldFaults(at, "data.config.", config, configFields[template]);
  // The mounts tell their own faults.
  return [
    ...fieldFaults(at, "data.config.", config, { ...configFields.memory, mounts: z.unknown() }),
    ...mountFaults(at, config),
  ];
}

/** Fields beside the data in which editors save what they call a node. */
const editorLabels = new Set(["name", "title", "description"]);

/** Optional fields, and where they belong. If one is misspelt or in the wrong place, nothing else would report it. */
function optionalPlaces(template: unknown): Map<string, string> {
  const names = isTemplate(template) ? Object.keys(configFields[template]) : [];
  return new Map([["config", "data.config"], ...names.map((name) => [name, `data.config.${name}`] as const)]);
}

/** The nodes that have an id, by id. If several have the same id, the first of them. */
export function findNodes(nodes: readonly unknown[]): Map<string, FoundNode> {
  const found = new Map<string, FoundNode>();
  nodes.forEach((node, index) => {
    if (!isRecord(node) || typeof node["id"] !== "string" || found.has(node["id"])) return;
    const { template, config } = isRecord(node["data"]) ? node["data"] : {};
    const known = isTemplate(template) ? { template } : {};
    found.set(node["id"], {
      at: nodeLabel(node, index),
      id: node["id"],
      ...known,
      config: isRecord(config) ? config : {},
    });
  });
  return found;
}

function repeatedIds(nodes: readonly unknown[]): string[] {
  const found = findNodes(nodes);
  return nodes.flatMap((node, index) => {
    if (!isRecord(node) || typeof node["id"] !== "string") return [];
    const [first, at] = [found.get(node["id"])?.at, nodeLabel(node, index)];
    return first === at ? [] : [`${at}: id must be one that no other node has, and ${first} has it`];
  });
}

function nodeLabel({ id }: Record<string, unknown>, index: number): string {
  return typeof id === "string" ? `node ${quote(id)} (nodes[${index}])` : `nodes[${index}]`;
}

function isTemplate(name: unknown): name is Template {
  return typeof name === "string" && Object.hasOwn(configFields, name);
}
