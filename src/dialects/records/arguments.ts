import { MemoryError } from "../../core/errors.js";
import { normalizePath } from "../../core/paths.js";
import { utf8Bytes } from "../../core/text.js";
import { badArgument, badPath, notAllowed, quoted, RecordError } from "./errors.js";

const maxContentBytes = 1_000_000;
const maxPathChars = 255;

export interface Content {
  text: string;
  sizeBytes: number;
}

/** The arguments of one call, which may be anything. */
export class Arguments {
  readonly #values: Record<string, unknown>;

  constructor(given: unknown, names: readonly string[]) {
    // Also where the tool takes no arguments: clear_memory must not run on a call meant for another tool.
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw badArgument("The arguments must be an object");
    }
    this.#values = given as Record<string, unknown>;
    const unknownName = Object.keys(given).find((name) => !names.includes(name));
    if (unknownName !== undefined) throw badArgument(`Unknown argument ${quoted(unknownName)}`);
  }

  /** @throws MEMORY_PATH_INVALID for a path that no record can have, whoever wrote it */
  path(): string {
    const path = this.#text("path");
    if (path === "") throw badPath(path, "is empty");
    if (path.startsWith("/")) throw badPath(path, 'is absolute, please use a relative path such as "project/todo"');
    if (path.includes("..")) throw badPath(path, 'contains ".."');
    // A memory reads `\` as `/`: two paths would be one record.
    if (!path.isWellFormed() || path.includes("\\")) throw illegalCharacters(path);
    if (path.split("/").includes("")) throw badPath(path, "contains an empty segment");
    try {
      normalizePath(path);
      return path;
    } catch (error) {
      throw MemoryError.isInstance(error) ? (nameFault(path) ?? notAllowed(path, error.message)) : error;
    }
  }

  /** @throws MEMORY_PATH_INVALID for what may not be the path of a new record */
  newPath(): string {
    const path = this.path();
    const fault = nameFault(path);
    if (fault !== null) throw fault;
    return path;
  }

  content(): Content {
    const text = this.#text("content");
    if (!text.isWellFormed()) throw badArgument('Argument "content" is not well-formed Unicode (it holds a lone surrogate)');
    const sizeBytes = utf8Bytes(text);
    if (sizeBytes <= maxContentBytes) return { text, sizeBytes };
    // Rounded up: a size just over the limit must not be shown as the limit itself.
    const megabytes = (Math.ceil(sizeBytes / 100_000) / 10).toFixed(1);
    throw new RecordError("MEMORY_CONTENT_TOO_LARGE", `Content size ${megabytes}MB exceeds 1MB limit`);
  }

  #text(name: string): string {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    if (typeof value === "string") return value;
    throw badArgument(`Argument "${name}" is required and must be a string`);
  }
}

/** Why no record can be created at `path`, or null. Files that others wrote may have any name, and are still reached. */
export function nameFault(path: string): RecordError | null {
  if (/[^\p{L}\p{M}\p{N}_./-]/u.test(path)) return illegalCharacters(path);
  // Hidden files are for the programs that made them, such as the index of the journal.
  if (/(?:^|\/)\./.test(path)) return badPath(path, 'has a name that begins with "."');
  if (path.length > maxPathChars) return badPath(path, `is longer than ${maxPathChars} characters`);
  return null;
}

function illegalCharacters(path: string): RecordError {
  return badPath(path, "contains illegal characters");
}
