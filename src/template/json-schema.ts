import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { z } from "zod";
import type { Template } from "./definition.js";
import { configFields, edgeFields, idField } from "./fields.js";
import { toRecord } from "./field-issues.js";

let jsonSchema: Record<string, unknown> | undefined;

function getSchema(): Record<string, unknown> {
  jsonSchema ??= toRecord(openButConfigs(toJsonSchema(createDefinitionSchema())));
  return jsonSchema;
}

function createDefinitionSchema() {
  const data = z.discriminatedUnion("template", [
    createDataSchema("memory"),
    createDataSchema("agent"),
    createDataSchema("memoryTool"),
    createDataSchema("memoryConnector"),
  ]);
  const node = z.object({ id: idField, data }).strict();
  return z.object({ nodes: z.array(node), edges: z.array(z.object(edgeFields).strict()) }).strict();
}

function createDataSchema<Name extends Template>(template: Name) {
  const config = z
    .object(configFields[template])
    .strict()
    .optional()
    .describe(`the settings of the template "${template}"`);
  return z.object({ template: z.literal(template), config }).strict();
}

const keys = ["$schema", "type", "properties", "required"];

/**
 * The JSON Schema of a GraphDefinition, for editors. `buildGraph` refuses everything that the schema refuses, and also:
 * equal ids, equal names of an agent's tools, edges between the wrong nodes, and a field outside the config that was
 * probably meant for the config.
 */
export const graphDefinitionSchema: Record<string, unknown> = Object.defineProperties(
  {},
  // Created at the first read, because creation takes seven milliseconds and few programs need the schema.
  Object.fromEntries(keys.map((key) => [key, { enumerable: true, get: () => getSchema()[key] }])),
);

/**
 * Opens all objects except configs for fields that an editor saves. zod cannot express this: LangChain closes every
 * object of a zod schema.
 */
function openButConfigs(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openButConfigs);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name]) => name !== "additionalProperties");
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === "config" ? inner : openButConfigs(inner)]));
}
