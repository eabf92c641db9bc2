import { hashSha256 } from "../values/sha256.js";
import { compareCodeUnits } from "../values/text.js";
import { type Change, isKept } from "./change.js";
import type { MemoryTree } from "./memory-tree.js";

/**
 * Returns a digest of the base of a change: the text of its file, or the subtree that is deleted or moved. While the
 * digest stays the same, the change does the same. The tree needs the texts of the scope.
 */
export function digestTree(
  tree: MemoryTree,
  change: Pick<Change, "type" | "path"> & { to?: string | null; keeps?: readonly string[] | undefined },
): string {
  const { type, path, to = null, keeps } = change;
  if (type !== "delete" && type !== "rename")
    return digest(tree.kind(path) === "dir" ? ["directory"] : (tree.files.get(path)?.content ?? null));
  const within = tree.within(path);
  const files = within.files.filter((file) => !isKept(file.path, keeps));
  const directories = within.directories.filter((directory) => !isKept(directory, keeps));
  const texts = files.map((file) => [file.path, file.content] as const).toSorted(([a], [b]) => compareCodeUnits(a, b));
  return digest([texts, directories.toSorted(compareCodeUnits), to !== null && tree.kind(to) !== null]);
}

function digest(value: unknown): string {
  return hashSha256(JSON.stringify(value));
}
