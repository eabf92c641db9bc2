import { types } from "node:util";
import { isObject } from "../../core/values/unknown-values.js";

/** The parts of an object or array that one step of a path selects. */
type Step = (value: Record<string, unknown>) => unknown[];

/**
 * Returns the texts at a path, in the syntax of InMemoryStore 1.2: `$` is the whole value as JSON, `a.b` a field,
 * `a[0]`, `a[-1]` and `a[*]` elements of an array, `*` everything in an object or array, `{a,b.c}` several fields.
 * Texts, numbers and booleans are texts; objects and arrays are JSON. Only own fields count, and null is not a text.
 */
export function textsAtPath(value: unknown, path: string): string[] {
  const whole = path === "$" || path.startsWith("$.") ? [stringify(value)] : [];
  return [...whole, ...follow(value, parseSteps(path)).flatMap(toTexts)];
}

/** Returns the texts at these paths, each once. Leaves out empty texts, which embedding services refuse. */
export function textsAt(value: Record<string, unknown>, paths: readonly string[]): string[] {
  const texts = new Set(paths.flatMap((path) => textsAtPath(value, path)));
  texts.delete("");
  return [...texts];
}

/**
 * Visits each part once: `{a,a}` reaches a part twice, and thirty such steps would reach it a thousand million times.
 */
function follow(value: unknown, steps: readonly Step[]): unknown[] {
  let parts: readonly unknown[] = [value];
  for (const step of steps) parts = [...new Set(parts.filter(isObject).flatMap((part) => step(part)))];
  return [...parts];
}

/** A bracket or a brace begins a step anywhere, dots separate names. One that does not close is part of a name. */
function parseSteps(path: string): Step[] {
  return Array.from(path.matchAll(/\[([^\]]*)\]|\{([^}]*)\}|[^.[{]+|[[{][^.]*/g), ([token, element, fields]): Step => {
    if (element !== undefined) return elementStep(element.trim());
    if (fields !== undefined) return fieldsStep(fields.split(","));
    return token === "*" ? (value) => Object.values(value) : fieldStep(token);
  });
}

const elements: Step = (value) => (Array.isArray(value) ? Array.from<unknown>(value) : []);

function elementStep(position: string): Step {
  if (position === "*") return elements;
  const index = Number.parseInt(position, 10);
  return Number.isNaN(index) ? () => [] : (value) => [elements(value).at(index)];
}

function fieldStep(name: string): Step {
  return (value) => (Object.hasOwn(value, name) ? [value[name]] : []);
}

function fieldsStep(paths: readonly string[]): Step {
  const steps = paths.map((path) => path.trim().split(".").map(fieldStep));
  return (value) => steps.flatMap((names) => follow(value, names));
}

function toTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  // Items contain no functions or symbols.
  return [typeof value === "object" ? stringify(value) : (value as string | number | bigint | boolean).toString()];
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? String(field) : field), 2);
}

/** Returns every text and number in a value, at any depth. Names of fields do not count. */
export function leafTexts(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number" || typeof value === "bigint") return [value.toString()];
  if (!isObject(value) || types.isDate(value) || types.isUint8Array(value)) return [];
  return Object.values(value).flatMap(leafTexts);
}
