import { compareCodeUnits } from "../values/text.js";

/** Returns the same tree, with files and directories sorted by path. */
export function sortTree<Tree extends { files: { path: string }[]; directories: string[] }>(tree: Tree): Tree {
  return {
    ...tree,
    files: tree.files.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: tree.directories.toSorted(compareCodeUnits),
  };
}
