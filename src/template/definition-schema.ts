import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { z } from "zod";
import { toRecord } from "../core/values/unknown-values.js";
import { createDataSchema, edgeSchema, idField, templates } from "./fields.js";
import { quoteAll } from "./quote.js";

/** Passes over the fields that an editor saves, and refuses unknown fields of a config. */
export const definitionSchema = z.object({
  nodes: z
    .array(
      z.object({
        id: idField,
        data: z.discriminatedUnion(
          "template",
          [
            createDataSchema("memory"),
            createDataSchema("agent"),
            createDataSchema("memoryTool"),
            createDataSchema("memoryConnector"),
          ],
          { message: `expected one of the templates ${quoteAll(templates)}` },
        ),
      }),
    )
    .describe("a list of nodes"),
  edges: z.array(edgeSchema).describe("a list of edges"),
});

let jsonSchema: Record<string, unknown> | undefined;

function getJsonSchema(): Record<string, unknown> {
  jsonSchema ??= toRecord(openButConfigs(toJsonSchema(definitionSchema)));
  return jsonSchema;
}

const keys = ["$schema", "type", "properties", "required"];

/**
 * The JSON Schema of a GraphDefinition, for editors. `buildGraph` refuses everything that the schema refuses, and also:
 * equal ids, equal names of an agent's tools, and edges between the wrong nodes.
 */
export const graphDefinitionSchema: Record<string, unknown> = Object.defineProperties(
  {},
  // Created at the first read, because creation takes seven milliseconds and few programs need the schema.
  Object.fromEntries(keys.map((key) => [key, { enumerable: true, get: () => getJsonSchema()[key] }])),
);

/** Opens all objects except configs for the fields that an editor saves. Reason: LangChain closes every object. */
function openButConfigs(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openButConfigs);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name]) => name !== "additionalProperties");
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === "config" ? inner : openButConfigs(inner)]));
}
