import { foldName, fileNameFault } from "../../backends/directory/names.js";
import { invalid, type MemoryError } from "../../core/values/errors.js";
import { segmentsOf } from "../../core/values/paths.js";

/** A directory by its children, each under the spelling that all file systems share. */
type Names = Map<string, { name: string; below: Names }>;

/** The first of the wanted paths that a folder could not hold beside what is there, and why. */
export function folderFault(
  there: readonly string[],
  wanted: readonly string[],
): { path: string; fault: MemoryError } | null {
  const root: Names = new Map();
  for (const path of there) enter(root, path, () => null);
  for (const path of wanted) {
    const fault = enter(root, path, fileNameFault);
    if (fault !== null) return { path, fault };
  }
  return null;
}

function enter(root: Names, path: string, check: (name: string) => MemoryError | null): MemoryError | null {
  let names = root;
  for (const name of segmentsOf(path)) {
    const folded = foldName(name);
    const found = names.get(folded);
    if (found === undefined) {
      const fault = check(name);
      if (fault !== null) return fault;
    } else if (found.name !== name) {
      return invalid(`invalid path segment: ${name} ("${found.name}" is the same name on some file systems)`);
    }
    const { below } = found ?? { below: new Map() as Names };
    names.set(folded, { name, below });
    names = below;
  }
  return null;
}
