import { invalid, invalidPath, MemoryError } from "./errors.js";

/**
 * The names that can be created.
 *
 * - `plain`: letters `A-Z a-z`, digits, `_`, `-` and spaces. No dot, so no `notes.txt`.
 * - `posix`: any Unicode in NFC, so `notes.txt` too. No control characters, `/`, `\` or lone surrogates; no name `.` or
 * `..`.
 *
 * Neither allows a blank at the start or end of a name. Both can read, change and delete what either rule created.
 */
export type PathRule = "plain" | "posix";

export const ROOT = "/";
/** The directory of the log of conversations, unless a program chooses another one. */
export const defaultLogPath = "/conversations";
/** The directory of files that were put away. */
export const archivePath = "/archive";
export const maxPathChars = 1024;
export const maxSegmentChars = 255;
const maxLevels = 32;
const controlCharacter = /\p{Cc}/u;
/** Paths that need no further check. Most paths are like this, and a call through mounts checks twice. */
const plainPath = /^(?:\/[A-Za-z0-9_ -][A-Za-z0-9_. -]{0,254}){1,32}$/;

export interface PathLength {
  chars: number;
  levels: number;
}

/**
 * Returns the one spelling of a path: absolute, `/`-separated, without repeated or trailing slashes.
 *
 * @param given the value from a caller or a model; only a string passes.
 * @param options.emptyIsRoot whether "" means the root (`list`) or is refused (every other command).
 * @param options.extraPathLength by how much the path may exceed the limits, because it begins with a mount point.
 * @throws MemoryError EINVAL for paths that no name rule allows: control characters, lone surrogates, `.` and `..`
 * segments in any encoding, more than 255 characters in a segment, 1,024 in a path, or 32 levels.
 */
export function normalizePath(
  given: unknown,
  options: { emptyIsRoot?: boolean; extraPathLength?: PathLength | undefined } = {},
): string {
  if (typeof given !== "string") throw invalid("path is required");
  if (given === "" && options.emptyIsRoot !== true) throw invalid("path is required");
  if (given.length <= maxPathChars && plainPath.test(given)) return given;
  assertPlainText(given, "path");
  const segments = given
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "");
  const { chars, levels } = options.extraPathLength ?? { chars: 0, levels: 0 };
  if (segments.length > maxLevels + levels) throw invalidPath(`invalid path: more than ${maxLevels} levels`);
  const path = ROOT + segments.join("/");
  if (path.length > maxPathChars + chars) throw invalidPath(`invalid path: longer than ${maxPathChars} characters`);
  for (const segment of segments) {
    if (segment.length > maxSegmentChars) {
      throw invalidPath(`invalid path: a segment longer than ${maxSegmentChars} characters`);
    }
    if (segment === ".") throw invalidPath('invalid path segment: . (paths are absolute; no name is ".")');
    if (climbs(segment)) throw invalidPath('invalid path: ".." not allowed', "climbs");
  }
  return path;
}

/** Whether a text is an absolute path that some name rule allows. */
export function isAbsolutePath(path: string): boolean {
  try {
    return path.startsWith(ROOT) && normalizePath(path) !== "";
  } catch (error) {
    if (MemoryError.isInstance(error)) return false;
    throw error;
  }
}

/** Whether a text is the path of a file in the one spelling that is stored. */
export function isStoredPath(path: string): boolean {
  return path !== ROOT && isAbsolutePath(path) && normalizePath(path) === path;
}

/** Refuses text that neither a path nor an id may contain. */
export function assertPlainText(text: string, what: string): void {
  const refuse = what === "path" ? invalidPath : invalid;
  if (!text.isWellFormed()) throw refuse(`invalid ${what}: not well-formed Unicode (a lone surrogate)`);
  if (controlCharacter.test(text)) throw refuse(`invalid ${what}: control characters are not allowed`);
}

/** The names that each name rule allows, in words for models and people. */
export const nameRules = {
  plain: 'names are letters A-Z, a-z, digits, "_", "-" and spaces',
  posix: 'names are any Unicode in NFC, such as "notes.txt"',
} as const satisfies Record<PathRule, string>;

/** A hint for the developer who reads the answer: the name rule `plain` does not allow `notes.md`. */
const posixRemedy = 'the program can allow other names by paths: "posix"';

/** Returns the reason why a normalised path may not be created under a name rule, or null if it may. */
export function getCreationError(path: string, rule: PathRule): MemoryError | null {
  if (rule === "plain") {
    if (path.includes("..")) return invalidPath('invalid path: ".." not allowed', "climbs");
    if (path.includes("$")) return invalidPath('invalid path: "$" not allowed');
  }
  for (const segment of splitPath(path)) {
    if (segment !== segment.trim())
      return invalidPath(
        `invalid path segment: ${JSON.stringify(segment)} (a name does not begin or end with a blank)`,
      );
    const legal = rule === "plain" ? /^[A-Za-z0-9_ -]+$/.test(segment) : segment === segment.normalize("NFC");
    if (legal) continue;
    const remedy = segment === segment.normalize("NFC") && rule === "plain" ? `; ${posixRemedy}` : "";
    return invalidPath(`invalid path segment: ${segment} (${nameRules[rule]}${remedy})`);
  }
  return null;
}

/** Whether a segment is or hides `..`: plain, percent-encoded any number of times, or written in look-alikes. */
function climbs(segment: string): boolean {
  // Most names are ASCII without dots and percent signs. Such a name cannot hide a `..`.
  if (/^[^%.\u0080-\uffff]*$/.test(segment)) return false;
  let current = segment;
  for (;;) {
    if (current.includes("\0") || current.split(/[/\\]/).includes("..")) return true;
    const next = decodePercent(current.normalize("NFKC"));
    if (next === current) return false;
    current = next;
  }
}

const decoder = new TextDecoder();

function decodePercent(text: string): string {
  return text
    .replace(/%c0%ae|%e0%80%ae/gi, ".") // overlong UTF-8 of ".", which a strict decoder would hide
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      decoder.decode(Uint8Array.from(run.slice(1).split("%"), (hex) => Number.parseInt(hex, 16))),
    );
}

export function splitPath(path: string): string[] {
  return path === ROOT ? [] : path.slice(1).split("/");
}

/** Returns the directories above `path`, from the root downwards, without the root itself. */
export function getParents(path: string): string[] {
  const segments = splitPath(path);
  return segments.slice(0, -1).map((_, index) => ROOT + segments.slice(0, index + 1).join("/"));
}

/** Returns every directory above one of the paths, without the root. */
export function collectDirectories(paths: Iterable<string>): Set<string> {
  const directories = new Set<string>();
  for (const path of paths)
    for (let parent = getParent(path); parent !== ROOT && !directories.has(parent); parent = getParent(parent))
      directories.add(parent);
  return directories;
}

/** Returns the text with which every path below the directory `path` begins. */
export function getPathPrefix(path: string): string {
  return path === ROOT ? ROOT : `${path}/`;
}

/** Returns the path in a tree of a path in a memory that is at a directory of the tree. */
export function joinPaths(directory: string, path: string): string {
  if (directory === ROOT) return path;
  return path === ROOT ? directory : directory + path;
}

/** Whether a path is a directory, or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(getPathPrefix(directory));
}

/** Returns the directory that contains a path. */
export function getParent(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || ROOT;
}

/** Returns the last name of a path. "" for the root. */
export function getName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the topmost directory above `path` whose name begins with a dot. */
export function findHiddenDirectory(path: string): string | undefined {
  // Most paths have none, and a large memory has many paths.
  return path.includes("/.") ? /^.*?\/\.[^/]*(?=\/)/.exec(path)?.[0] : undefined;
}
