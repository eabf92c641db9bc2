import { unknownOption } from "../core/settings/check-options.js";
import type { Issue } from "../core/settings/faults.js";
import { preview } from "../core/values/text.js";
import { getField } from "../core/values/unknown-values.js";
import { edgeLabel } from "./edge-issues.js";
import { configFields } from "./fields.js";
import { readNode } from "./node-issues.js";

/** Describes what the schema refuses, each with the node or the edge and the field. */
export function schemaIssues(definition: unknown, issues: readonly Issue[]): string[] {
  return issues.flatMap(({ code, path, message, keys = [] }) => {
    const { at, field, known } = findField(definition, path);
    const place = field === "" ? at : `${at}: ${field}`;
    return code === "unrecognized_keys"
      ? keys.map((key) => `${place}: ${unknownOption(key, known)}`)
      : [`${place}: ${message} (given ${preview(path.reduce<unknown>(getField, definition))})`];
  });
}

/** The place of an issue for people, and the options that a config there can have. */
function findField(definition: unknown, path: readonly PropertyKey[]): { at: string; field: string; known: string[] } {
  const [list = "", index, ...names] = path;
  if (typeof index !== "number") return { at: "the definition", field: path.map(String).join("."), known: [] };
  const part = getField(getField(definition, list), index);
  const field = names.map(String).join(".");
  if (list === "edges") return { at: edgeLabel(part, index), field, known: [] };
  const { at, template } = readNode(part, index);
  return { at, field, known: template && field === "data.config" ? Object.keys(configFields[template]) : [] };
}
