import { fileNameFault, foldName } from "../backends/directory/names.js";
import { getName, getParent, getPathPrefix, ROOT } from "../core/values/paths.js";
import { hashSha256 } from "../core/values/sha256.js";
import { takeStart, utf8Bytes } from "../core/values/text.js";

const maxStemChars = 60;
/** The path of the folder itself comes before it, and some systems take 1,024 bytes. */
const maxPathBytes = 800;

/** Gives each file of a memory a name in a bundle that every file system takes. The same files get the same names. */
export class BundleNames {
  /** The paths that are given, in the spelling that all file systems treat as equal. */
  readonly #taken = new Set<string>();
  readonly #directories = new Map([[ROOT, ROOT]]);

  /** Returns the path of a concept. @param path of a file of the memory, each once */
  addFile(path: string): string {
    const [, name = "", ending = ""] = /\/([^/]*?)(\.md)?$/.exec(path) ?? [];
    const named = this.#add(this.#getDirectory(getParent(path)), name || ending, ".md");
    return utf8Bytes(named) <= maxPathBytes ? named : this.#add(ROOT, hashSha256(path).slice(0, 16), ".md");
  }

  #getDirectory(path: string): string {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const directory = this.#add(this.#getDirectory(getParent(path)), getName(path), "");
    this.#directories.set(path, directory);
    return directory;
  }

  #add(directory: string, name: string, ending: string): string {
    const stem = toStem(name, ending);
    for (let number = 1; ; number += 1) {
      const path = `${getPathPrefix(directory)}${stem}${number === 1 ? "" : `-${number}`}${ending}`;
      const folded = foldName(path);
      if (this.#taken.has(folded) || isReservedFile(folded)) continue;
      this.#taken.add(folded);
      return path;
    }
  }
}

/** `index.md` and `log.md` are no concepts, in any directory. */
function isReservedFile(folded: string): boolean {
  return /\/(?:INDEX|LOG)\.MD$/.test(folded);
}

function toStem(name: string, ending: string): string {
  if (name.length <= maxStemChars && fileNameFault(name + ending) === null && fileNameFault(name) === null) return name;
  const stem = takeStart(name.replaceAll(/[<>:"|?*]/g, "_"), maxStemChars).replaceAll(/^[. ]+|[. ]+$/g, "_");
  return fileNameFault(stem) === null ? stem : `_${stem}`;
}
