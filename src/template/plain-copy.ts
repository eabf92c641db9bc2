/** Depth of a definition: nodes, a node, its data, its config, its mounts or rules, one of them. */
const maxDepth = 6;

/**
 * Copies a value into plain lists and objects. Reads each property only once, so that no getter, Proxy or `toJSON` can
 * give one value to the check and another to the graph. Reason against `structuredClone`: it refuses the proxies with
 * which user interfaces watch the objects that they edit.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  // No definition has an object this deep. The limit also ends cycles.
  if (depth > maxDepth) return {};
  // `Array.from`, because a hole of a sparse list is a missing node or edge.
  if (Array.isArray(value)) return Array.from(value, (element) => plainCopy(element, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainCopy(inner, depth + 1)]));
}
