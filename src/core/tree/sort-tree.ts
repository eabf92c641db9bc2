import { compareCodeUnits } from "../values/text.js";

/** The same tree, with files and directories in the order of their paths. */
export function sortTree<Tree extends { files: { path: string }[]; directories: string[] }>(tree: Tree): Tree {
  return {
    ...tree,
    files: tree.files.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: tree.directories.toSorted(compareCodeUnits),
  };
}
