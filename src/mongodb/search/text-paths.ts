import { types } from "node:util";

/** One step into a value: a field, an element or all of an array, everything in either, or some fields at once. */
type Step =
  | { kind: "field"; name: string }
  | { kind: "element"; position: number }
  | { kind: "elements" }
  | { kind: "everything" }
  | { kind: "fields"; paths: string[][] };

/**
 * The texts at a path, in the language of InMemoryStore 1.2: `$` is the whole value as JSON, `a.b` a field, `a[0]`,
 * `a[-1]` and `a[*]` elements of an array, `*` everything in an object or array, `{a,b.c}` several fields. Texts,
 * numbers and booleans are texts; objects and arrays are JSON. Fields are an object's own, and null is no text.
 */
export function textsAtPath(value: unknown, path: string): string[] {
  const steps = stepsOf(path);
  const whole = path === "$" || path.startsWith("$.") ? [jsonOf(value)] : [];
  return [...whole, ...reached([value], steps).flatMap(textOf)];
}

/** The texts at those paths, each once, and no empty ones, which embedding services refuse. */
export function textsAt(value: Record<string, unknown>, paths: readonly string[]): string[] {
  const texts = paths.flatMap((path) => textsAtPath(value, path));
  return [...new Set(texts)].filter((text) => text !== "");
}

function reached(values: readonly unknown[], steps: readonly Step[]): unknown[] {
  const after = (from: readonly unknown[], step: Step): readonly unknown[] => {
    const found = from.flatMap((value) => next(value, step));
    return step.kind === "fields" ? distinct(found) : found;
  };
  return steps.reduce(after, values).slice();
}

function next(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const elements: unknown[] = Array.isArray(value) ? value : [];
  if (step.kind === "field") return fieldOf(value, step.name);
  if (step.kind === "element") return [elements.at(step.position)];
  if (step.kind === "elements") return elements;
  if (step.kind === "everything") return Object.values(value);
  return step.paths.flatMap((names) =>
    reached(
      [value],
      names.map((name) => ({ kind: "field", name })),
    ),
  );
}

/** Each object once: `{a,a}` reaches it twice, and thirty of them in a row a thousand million times. */
function distinct(values: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return values.filter((value) => typeof value !== "object" || value === null || (!seen.has(value) && seen.add(value)));
}

function fieldOf(value: object, name: string): unknown[] {
  return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
}

/** Brackets and braces stand for themselves wherever they begin; dots separate names. */
function stepsOf(path: string): Step[] {
  return Array.from(path.matchAll(/\[([^\]]*)\]|\{([^}]*)\}|[^.[{]+|[[{][^.]*/g), ([token, element, fields]): Step => {
    if (element !== undefined) return elementStep(element.trim());
    if (fields !== undefined)
      return { kind: "fields", paths: fields.split(",").map((names) => names.trim().split(".")) };
    return token === "*" ? { kind: "everything" } : { kind: "field", name: token };
  });
}

function elementStep(position: string): Step {
  if (position === "*") return { kind: "elements" };
  const number = Number.parseInt(position, 10);
  return { kind: "element", position: Number.isNaN(number) ? Infinity : number };
}

function textOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [typeof value === "object" ? jsonOf(value) : (value as string | number | bigint | boolean).toString()];
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? String(field) : field), 2);
}

/** Every text and number in a value, at any depth. Names of fields are none. */
export function leafTexts(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (leaf: unknown): void => {
    if (typeof leaf === "string") {
      if (leaf !== "") texts.push(leaf);
    } else if (typeof leaf === "number" || typeof leaf === "bigint") {
      texts.push(leaf.toString());
    } else if (typeof leaf === "object" && leaf !== null && !types.isDate(leaf) && !types.isUint8Array(leaf)) {
      Object.values(leaf).forEach(collect);
    }
  };
  collect(value);
  return texts;
}
