import { invalidPath, MemoryError } from "../../core/values/errors.js";
import { normalizePath, getPathPrefix } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";

/**
 * The folder inside a memory's folder for the lock, and for files before they are moved into place. No memory shows it.
 */
export const workFolder = ".langgraph-mongo-memory";

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
const deviceName = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
const maxNameBytes = 255;

/** `GIT~1` is the short name that Windows gives `.git`. */
const reservedNames = [".GIT", "GIT~1", workFolder.toUpperCase()];

/**
 * Returns one spelling for all names that some file system treats as equal: by case, normal form, full case folding.
 */
export function foldName(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toUpperCase();
  return name.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC");
}

/**
 * Whether a name is never part of a memory: the work folder, and `.git` in any spelling that git itself refuses. A
 * person who can write `.git/config` can run any program at the next `git status`.
 */
export function isReserved(name: string): boolean {
  if (!name.startsWith(".") && !/git~1|\P{ASCII}/iu.test(name)) return false;
  return reservedNames.includes(foldName(name.replaceAll(ignorable, "")));
}

/** Returns the reason why a name is refused: on Linux, macOS or Windows it could not exist, or mean another file. */
export function fileNameFault(name: string): MemoryError | null {
  const refuse = (reason: string): MemoryError => invalidPath(`invalid path segment: ${name} (${reason})`);
  if (isReserved(name)) return reservedName(name);
  if (deviceName.test(name)) return refuse("the name of a device on Windows");
  if (/[<>:"|?*]/.test(name)) return refuse('Windows does not allow < > : " | ? *');
  if (/[. ]$/.test(name)) return refuse("Windows drops a dot or space at the end");
  if (utf8Bytes(name) > maxNameBytes) return refuse(`more than ${maxNameBytes} bytes of UTF-8`);
  return null;
}

export const reservedName = (name: string): MemoryError =>
  invalidPath(`invalid path segment: ${name} (reserved, not part of the memory)`);

/** Returns the path of a name in a directory. Null if no command could name this path: then no listing shows it. */
export function pathOfChild(directory: string, name: string): string | null {
  const path = getPathPrefix(directory) + name;
  try {
    return normalizePath(path) === path && !isReserved(name) ? path : null;
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}

/**
 * @param names the names to create, each inside the one before; the first is next to `siblings`
 * @throws EINVAL for a name that some file system refuses, or treats as equal to a sibling
 */
export function assertCreatable(names: readonly string[], siblings: readonly string[]): void {
  for (const name of names) {
    const fault = fileNameFault(name);
    if (fault !== null) throw fault;
  }
  const folded = foldName(names[0] ?? "");
  const twin = siblings.find((sibling) => foldName(sibling) === folded);
  if (twin === undefined) return;
  throw invalidPath(`invalid path segment: ${names[0]} ("${twin}" is there, the same name on some file systems)`);
}
