import { sortInTimeSlices } from "../runtime/sort-in-steps.js";
import type { Waiting } from "../runtime/time-slices.js";
import { compareCodeUnits, comparePaths } from "../values/text.js";

/** Sorts the files and directories of a tree by path. @throws the reason, if nobody waits for it any more */
export async function sortTree<Tree extends { files: { path: string }[]; directories: string[] }>(
  tree: Tree,
  waiting: Waiting | null,
): Promise<Tree> {
  return {
    ...tree,
    files: await sortInTimeSlices(tree.files, comparePaths, waiting),
    directories: await sortInTimeSlices(tree.directories, compareCodeUnits, waiting),
  };
}
