/** The depth of a definition: nodes, a node, its data, its config, its mounts or rules, one of them. */
const maxDepth = 6;

/**
 * Copies a value into plain lists and objects. It reads each property once, so no getter, Proxy or `toJSON` can give
 * the check one value and the graph another. `structuredClone` would not do: it refuses the proxies with which user
 * interfaces watch what they edit.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  // No definition has an object here. This also ends cycles.
  if (depth > maxDepth) return {};
  // Array.from, because a hole of a sparse list is a missing node or edge.
  if (Array.isArray(value)) return Array.from(value, (element) => plainCopy(element, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainCopy(inner, depth + 1)]));
}
