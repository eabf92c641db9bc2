import { fileNameFault, foldName } from "../../backends/directory/names.js";
import { invalid, type MemoryError } from "../../core/values/errors.js";
import { splitPath } from "../../core/values/paths.js";

/** The children of a directory by their folded names, which all file systems compare alike. */
type Names = Map<string, { name: string; below: Names }>;

/** Finds the first new path that a folder cannot hold beside the present ones, and says why. */
export function findFolderConflict(
  present: readonly string[],
  added: readonly string[],
): { path: string; error: MemoryError } | null {
  const root: Names = new Map();
  for (const path of present) addPath(root, path, () => null);
  for (const path of added) {
    const error = addPath(root, path, fileNameFault);
    if (error !== null) return { path, error };
  }
  return null;
}

function addPath(root: Names, path: string, check: (name: string) => MemoryError | null): MemoryError | null {
  let names = root;
  for (const name of splitPath(path)) {
    const folded = foldName(name);
    const present = names.get(folded);
    if (present !== undefined && present.name !== name)
      return invalid(`invalid path segment: ${name} ("${present.name}" is the same name on some file systems)`);
    const error = present === undefined ? check(name) : null;
    if (error !== null) return error;
    const below: Names = present?.below ?? new Map();
    names.set(folded, { name, below });
    names = below;
  }
  return null;
}
