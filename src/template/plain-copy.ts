/** A definition goes no deeper: nodes, a node, its data, its config, a list of commands. */
const maxDepth = 5;

/**
 * What a value holds, as plain lists and objects. Each property is read once, so that no getter, Proxy or `toJSON` answers
 * one thing to the check and another thing to what is made. Not `structuredClone`, which refuses the proxies by which user
 * interfaces watch what they edit.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  // Where an object lies that no definition has, and the cycles.
  if (depth > maxDepth) return {};
  // Array.from, as holes of a sparse list are missing nodes or edges, too.
  if (Array.isArray(value)) return Array.from(value, (element) => plainCopy(element, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainCopy(inner, depth + 1)]));
}
