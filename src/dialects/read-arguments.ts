import { isRecord } from "../core/values/unknown-values.js";
import type { FlatSchema } from "./dialect.js";

/**
 * Returns the schema of an argument that a call may leave out, or set to null. All providers take this form: OpenAI's
 * strict mode needs every key, and Gemini refuses a list of types, null in an enum, and any other key next to `anyOf`.
 */
export function optional(property: object): object {
  return { anyOf: [property, { type: "null" }] };
}

function getValueSchema(property: object): object {
  return "anyOf" in property && Array.isArray(property.anyOf) ? (property.anyOf as [object])[0] : property;
}

/**
 * Reads numbers and lists that small models send as texts, and leaves out the arguments that a program sets to undefined,
 * which JSON does not have. `args` may be anything.
 */
export function readArguments({ properties }: Pick<FlatSchema, "properties">, args: unknown): unknown {
  if (!isRecord(args)) return args;
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, property === undefined ? value : readValue(getValueSchema(property), value)];
    }),
  );
}

/**
 * Adds null for every argument that a call leaves out, as the schema demands. The nulls are not enumerable, so that a
 * trace shows the call as it was made.
 */
export function addAbsent({ properties }: FlatSchema, args: unknown): unknown {
  if (!isRecord(args)) return args;
  const absent = Object.keys(properties).filter(
    (name) => "anyOf" in (properties[name] ?? {}) && !Object.hasOwn(args, name),
  );
  return Object.defineProperties({ ...args }, Object.fromEntries(absent.map((name) => [name, { value: null }])));
}

function readValue(schema: object, value: unknown): unknown {
  const { type, items } = schema as { type?: unknown; items?: object };
  if (type === "integer" && typeof value === "string" && /^\s*-?\d{1,15}\s*$/.test(value)) return Number(value);
  if (type !== "array" || items === undefined) return value;
  const list = typeof value === "string" ? parseList(value) : value;
  return Array.isArray(list) ? list.map((item: unknown) => readValue(items, item)) : value;
}

function parseList(text: string): unknown {
  if (!/^\s*\[/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
