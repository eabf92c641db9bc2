import { createHash } from "node:crypto";
import { segmentsOf } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";

/** Well below what file systems allow, escaped, with a folder in front, and on Windows. */
const maxSegmentBytes = 100;
const maxNameChars = 180;

/** What Windows allows in no name, our escape and the mark of a shortened name. Controls are in no path. */
const unsafeCharacters = /[<>:"|?*%~\\/]/g;
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=$|\.|\s)/i;

/**
 * Gives each path a file name that every system can hold and that no other path has, not even on a system that does not
 * tell upper from lower case or one normal form from another. Readable wherever possible; the manifest names the paths.
 */
export class FileNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /**
   * @param folder where the names of the memory lie, `/`-separated and safe already
   * @param memory tells it from others, whose folders some system may take for the same
   */
  fileNameFor(path: string, folder: string, memory: string): string {
    const name = `${folder}/${segmentsOf(path).map(safeName).join("/")}`;
    return this.#take(name) ? name : this.#hashed(path, folder, memory);
  }

  /** A name that differs from every readable one, as those have no `~`. */
  #hashed(path: string, folder: string, memory: string): string {
    const hash = createHash("sha256")
      .update(JSON.stringify([memory, path]))
      .digest("hex")
      .slice(0, 32);
    const name = `${folder}/~${hash}`;
    this.#files.add(folded(name));
    return name;
  }

  #take(name: string): boolean {
    const segments = name.split("/");
    if (name.length > maxNameChars || segments.some((segment) => utf8Bytes(segment) > maxSegmentBytes)) return false;
    const own = folded(name);
    const folders = segments.slice(1).map((_, index) => folded(segments.slice(0, index + 1).join("/")));
    if (this.#files.has(own) || this.#folders.has(own) || folders.some((folder) => this.#files.has(folder)))
      return false;
    this.#files.add(own);
    for (const folder of folders) this.#folders.add(folder);
    return true;
  }
}

/** One segment; empty for the empty one only. */
export function safeName(segment: string): string {
  return segment
    .replaceAll(unsafeCharacters, escaped)
    .replace(/[. ]$/, escaped)
    .replace(/^ /, escaped)
    .replace(deviceName, (name) => escaped(name.charAt(0)) + name.slice(1));
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function folded(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
