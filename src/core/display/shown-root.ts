import { ROOT } from "../values/paths.js";

/**
 * The key under which a MemoryNode keeps the root that the tools created for it last show to models. Reason for a
 * symbol: the other build of this package has its own classes.
 */
export const shownRoot: unique symbol = Symbol.for("langgraph-mongo-memory.shownRoot");

/** A memory that remembers the root of its tools. */
export interface WithShownRoot {
  /** @internal */
  [shownRoot]?: string;
}

/** Returns the root that the tools of a memory show to models, as far as the memory knows it. */
export function getShownRoot(memory: object): string {
  const root: unknown = shownRoot in memory ? memory[shownRoot] : undefined;
  return typeof root === "string" ? root : ROOT;
}

/**
 * Returns the path that a model uses for a path of the memory.
 * @param root `/`, another absolute path for tools whose paths begin with it, or "" for tools that take relative paths
 */
export function showPath(path: string, root: string): string {
  if (root === "") return path.slice(1);
  return root === ROOT ? path : root + path;
}
