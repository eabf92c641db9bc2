import { MemoryError } from "../../core/values/errors.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { type DialectError, parseArguments } from "../define-tool.js";
import { badArgument, badPath, createRecordError, notAllowed, quoted } from "./errors.js";

const maxContentBytes = 1_000_000;
const maxPathChars = 255;

/** The arguments of one call, which may be anything. */
export class RecordArguments {
  readonly #values: Record<string, unknown>;

  constructor(given: unknown, names: readonly string[]) {
    // Checked for a tool without arguments, too: clear_memory must not run on a call that was meant for another tool.
    this.#values = parseArguments(given, (name) => names.includes(name), {
      notAnObject: () => badArgument("The arguments must be an object"),
      unknownName: (name) =>
        badArgument(`Unknown argument ${quoted(name)}, the arguments are ${names.map(quoted).join(", ")}`),
    });
  }

  /**
   * The path of a record that may exist. @throws MEMORY_PATH_INVALID for a path that no record of any program can have
   */
  path(path = this.#text("path")): string {
    if (path === "") throw badPath(path, "is empty");
    if (path.startsWith("/")) throw badPath(path, 'is absolute, please use a relative path such as "project/todo"');
    if (path.includes("..")) throw badPath(path, 'contains ".."');
    // A memory reads `\` as `/`, so two paths would name one record.
    if (!path.isWellFormed() || path.includes("\\")) throw createCharactersError(path);
    if (path.split("/").includes("")) throw badPath(path, "contains an empty segment");
    try {
      normalizePath(path);
      return path;
    } catch (error) {
      throw MemoryError.isInstance(error) ? (nameFault(path) ?? notAllowed(path, error.message)) : error;
    }
  }

  /** The path for a new record. @throws MEMORY_PATH_INVALID for a path that is not allowed for a new record */
  newPath(): string {
    const path = this.path();
    const fault = nameFault(path);
    if (fault !== null) throw fault;
    return path;
  }

  content(): string {
    const text = this.#text("content");
    if (!text.isWellFormed())
      throw badArgument('Argument "content" is not well-formed Unicode (it holds a lone surrogate)');
    const sizeBytes = utf8Bytes(text);
    if (sizeBytes <= maxContentBytes) return text;
    // Rounded up, so that a size just over the limit does not look equal to the limit.
    const megabytes = (Math.ceil(sizeBytes / 100_000) / 10).toFixed(1);
    throw createRecordError("MEMORY_CONTENT_TOO_LARGE", `Content size ${megabytes}MB exceeds 1MB limit`);
  }

  query(): string {
    return this.#text("query");
  }

  /** The path of a record or a folder, which may end in the slash with which a prompt shows folders. Default: the root */
  place(): string {
    return this.#values["path"] === undefined ? ROOT : this.path(this.#text("path").replace(/(?<=[^/])\/$/, ""));
  }

  #text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string") return value;
    throw badArgument(`Argument "${name}" is required and must be a string`);
  }
}

/**
 * Returns the reason why no record can be created at `path`, or null. The tools still read files of other programs
 * under any name.
 */
export function nameFault(path: string): DialectError | null {
  if (/[^\p{L}\p{M}\p{N}_./-]/u.test(path)) return createCharactersError(path);
  // Hidden files, such as the index of the journal, belong to the programs that create them.
  if (/(?:^|\/)\./.test(path)) return badPath(path, 'has a name that begins with "."');
  if (path.length > maxPathChars) return badPath(path, `is longer than ${maxPathChars} characters`);
  return null;
}

function createCharactersError(path: string): DialectError {
  return badPath(path, "contains illegal characters");
}
