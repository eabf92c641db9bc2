import { ROOT } from "../values/paths.js";

/**
 * Returns the path that a model uses for a path of the memory.
 * @param root `/`, another absolute path for tools whose paths begin with it, or "" for tools that take relative paths
 */
export function showPath(path: string, root: string): string {
  if (root === "") return path.slice(1);
  return root === ROOT ? path : root + path;
}
