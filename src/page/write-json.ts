import type { Steps } from "../core/runtime/time-slices.js";

/** Work yields after this many elements, which take about a millisecond. */
const elementsPerYield = 10_000;

/** Writes an answer of the page as `JSON.stringify` does. Reason: the lines of a file of a megabyte take 100 ms. */
export function* writeJson(value: unknown): Steps<string> {
  if (Array.isArray(value)) return `[${(yield* writeElements(value)).join(",")}]`;
  if (typeof value !== "object" || value === null || "toJSON" in value) return JSON.stringify(value) ?? "null";
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) fields.push(`${JSON.stringify(name)}:${yield* writeJson(field)}`);
  return `{${fields.join(",")}}`;
}

function* writeElements(elements: readonly unknown[]): Steps<string[]> {
  const parts: string[] = [];
  for (let start = 0; start < elements.length; start += elementsPerYield) {
    yield;
    const some = elements.slice(start, start + elementsPerYield);
    if (some.some((element) => typeof element === "object"))
      for (const element of some) parts.push(yield* writeJson(element));
    else parts.push(JSON.stringify(some).slice(1, -1));
  }
  return parts;
}
