import { z } from "zod";
import type { Template } from "./definition.js";
import { isRecord } from "../core/values/unknown-values.js";
import { fieldIssues, findRepeats, given, quote, quoteAll, toRecord } from "./field-issues.js";
import { configFields, idField } from "./fields.js";
import { mountIssues } from "./mount-issues.js";

/** The parts of a node that a definition describes. */
export interface DefinedNode {
  /** Position of the node, for people. */
  at: string;
  value: unknown;
  id: string | undefined;
  template: Template | undefined;
  config: Record<string, unknown>;
}

const record = z.custom<object>(isRecord);
const templates = Object.keys(configFields);

const nodeFields = { id: idField, data: record.describe("an object { template, config }") };

const dataFields = {
  template: z.custom<Template>(isTemplate).describe(`one of ${quoteAll(templates)}`),
  config: record.optional().describe("an object"),
};

/** Fields outside the data in which editors save the name of a node. */
const editorLabels = ["name", "title", "description"];

export function readNode(value: unknown, index: number): DefinedNode {
  const { id, data } = toRecord(value);
  const { template, config } = toRecord(data);
  const at = `nodes[${index}]`;
  return {
    at: typeof id === "string" ? `node ${quote(id)} (${at})` : at,
    value,
    id: typeof id === "string" ? id : undefined,
    template: isTemplate(template) ? template : undefined,
    config: toRecord(config),
  };
}

/** Returns the issues of each node, and of the ids together. */
export function nodeIssues(nodes: readonly DefinedNode[]): string[] {
  const repeated = findRepeats(nodes, ({ id }) => id);
  return [
    ...nodes.flatMap(findNodeIssues),
    ...repeated.map(({ value, first }) => `${value.at}: id must be one that no other node has, and ${first.at} has it`),
  ];
}

function findNodeIssues({ at, value, template, config }: DefinedNode): string[] {
  if (!isRecord(value)) return [`${at} must be an object { id, data: { template, config } } (${given(value)})`];
  const { data } = value;
  // Nothing else would report an optional field that is misspelt or in the wrong place.
  const names = ["config", ...Object.keys(template ? configFields[template] : {})];
  return [
    ...fieldIssues(at, "", value, nodeFields, { configNames: names.filter((name) => !editorLabels.includes(name)) }),
    ...(isRecord(data) ? fieldIssues(at, "data.", data, dataFields, { configNames: names }) : []),
    ...(template ? findConfigIssues(at, template, config) : []),
  ];
}

function findConfigIssues(at: string, template: Template, config: Record<string, unknown>): string[] {
  if (template !== "memory") return fieldIssues(at, "data.config.", config, configFields[template]);
  // `mountIssues` checks the mounts.
  return [
    ...fieldIssues(at, "data.config.", config, { ...configFields.memory, mounts: z.unknown() }),
    ...mountIssues(at, config),
  ];
}

function isTemplate(name: unknown): name is Template {
  return typeof name === "string" && Object.hasOwn(configFields, name);
}
