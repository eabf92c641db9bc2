import { nearestName } from "../core/settings/nearest-name.js";
import { preview } from "../core/values/preview.js";
import { shorten } from "../core/values/text.js";
import { isRecord } from "../core/values/unknown-values.js";

/**
 * A zod schema, typed by its shape, because the types of zod 3 and zod 4 differ. The schema's description states the
 * right value.
 */
interface Field {
  description?: string | undefined;
  safeParse(value: unknown): { success: boolean };
}

/** How many unknown fields of an object are named. */
const maxUnknown = 20;
/** How many of the fields that an editor may have saved are compared with the names that it may have meant. */
const maxCompared = 1000;

/**
 * Returns the issues of an object's fields, one sentence each.
 *
 * @param at where the object is, such as `node "M" (nodes[0])`
 * @param path the path from there, with a dot at its end: `data.config.`
 * @param options.configNames allows unknown fields, because an editor may have saved them. A field whose name is
 * similar to one of these names is still an issue: the field probably belongs into the config, or is the config.
 */
export function fieldIssues(
  at: string,
  path: string,
  value: object,
  fields: Record<string, Field>,
  { configNames }: { configNames?: readonly string[] } = {},
): string[] {
  const values: Record<string, unknown> = { ...value };
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(fields, name));
  const known = configNames ?? Object.keys(fields);
  const compared = unknown
    .slice(0, configNames ? maxCompared : maxUnknown)
    .map((name) => ({ name, near: nearestName(name, known) }))
    .filter(({ near }) => !configNames || near !== undefined);
  const more = configNames ? 0 : unknown.length - compared.length;
  const wrong = Object.entries(fields).filter(([name, field]) => !field.safeParse(values[name]).success);
  return [
    ...compared.slice(0, maxUnknown).map(({ name, near }) => {
      const meant = configNames ? getConfigPath(near) : path + near;
      return (
        `${at}: unknown field ${quote(path + name)}` +
        (near === undefined ? "" : `; ${quote(meant)} was probably meant`) +
        (configNames ? "" : `; the fields here are ${quoteAll(Object.keys(fields))}`)
      );
    }),
    ...(more > 0 ? [`${at}: ${more} more unknown fields`] : []),
    ...wrong.map(([name, { description }]) => `${at}: ${path}${name} must be ${description} (${given(values[name])})`),
  ];
}

function getConfigPath(name: string | undefined): string {
  return name === "config" ? "data.config" : `data.config.${name}`;
}

/** Describes the wrong value. */
export function given(value: unknown): string {
  if (value === undefined) return "missing";
  if (!Array.isArray(value)) return `given ${preview(value)}`;
  return `given [${shorten(value.slice(0, 9).map(preview).join(", "), 200)}]`;
}

/** Puts a text in quotes and on one line. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 200));
}

const maxQuotedChars = 400;

/** Quotes only as many texts as it shows, because thousands of issues may each list thousands of ids. */
export function quoteAll(texts: Iterable<string>): string {
  const quoted: string[] = [];
  let chars = 0;
  for (const text of texts) {
    quoted.push(quote(text));
    chars += text.length;
    if (chars > maxQuotedChars || quoted.length > maxQuotedChars) break;
  }
  return shorten(quoted.join(", "), maxQuotedChars);
}

/** Returns an object's fields, or no fields for any other value. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Returns the values whose key an earlier value has, each with the first value of this key. */
export function findRepeats<Value>(
  values: readonly Value[],
  getKey: (value: Value) => string | undefined,
): { value: Value; first: Value }[] {
  const firsts = new Map<string, Value>();
  return values.flatMap((value) => {
    const key = getKey(value);
    if (key === undefined) return [];
    const first = firsts.get(key);
    if (first !== undefined) return [{ value, first }];
    firsts.set(key, value);
    return [];
  });
}
