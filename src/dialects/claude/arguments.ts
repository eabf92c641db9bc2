import { MemoryError } from "../../core/values/errors.js";
import { joinPaths, maxPathChars, normalizePath, ROOT, splitPath } from "../../core/values/paths.js";
import { meantText, shownText } from "../../core/display/shown-text.js";
import { badParameter, ClaudeRefusal, echo, toRefusal } from "./refusal.js";

/** A path in both forms: `given` as the model wrote it, for the answers, and `path` in the memory. */
export interface ClaudePath {
  given: string;
  path: string;
}

/** The arguments of one call. A model may send anything, so each argument is checked when a command reads it. */
export class ClaudeArguments {
  readonly #values: Record<string, unknown>;
  readonly #root: string;

  constructor(values: Record<string, unknown>, root: string) {
    this.#values = values;
    this.#root = root;
  }

  /** @throws ClaudeRefusal for a path outside the root, and for a path that breaks the general rules of names */
  path(name: "path" | "old_path" | "new_path"): ClaudePath {
    // No name contains a backslash, so an escape was copied from an answer.
    const given = meantText(this.text(name));
    const rest = removeRoot(given, this.#root);
    if (rest === null)
      throw new ClaudeRefusal("EINVAL", `Error: Path must start with ${this.#root}, got: ${echo(given)}`);
    try {
      return { given: echo(given, this.#root.length + maxPathChars), path: normalizePath(rest) };
    } catch (error) {
      throw MemoryError.isInstance(error) ? toRefusal(error) : error;
    }
  }

  /** Converts a path of the memory to the path that the model knows. */
  shownPath(path: string): string {
    return shownText(joinPaths(this.#root, path));
  }

  text(name: string): string {
    const text = this.optionalText(name);
    if (text === undefined) throw badParameter(name, "it is required and must be a string");
    return text;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== "string") throw badParameter(name, "it must be a string");
    if (!value.isWellFormed()) throw badParameter(name, "it is not well-formed Unicode (it holds a lone surrogate)");
    return value;
  }

  /** The text for `create`: `file_text`, or `content`, which is its name in the memory tool of FastMCP4J. */
  createdText(): string {
    const content = this.optionalText("content");
    if (content === undefined) return this.text("file_text");
    if (this.optionalText("file_text") === undefined) return content;
    throw badParameter("content", "it is another name for file_text; give one of the two");
  }

  number(name: string): number {
    const value = this.#values[name];
    if (typeof value !== "number") throw badParameter(name, "it is required and must be an integer");
    return value;
  }

  /** The first and the last line of a range. A last line of -1 is the end of the file. */
  optionalRange(name: string): [first: number, last: number] | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const range: unknown[] = Array.isArray(value) && value.length === 2 ? value : [];
    const [first, last] = range;
    if (isInteger(first) && isInteger(last)) return [first, last];
    throw badParameter(
      name,
      "it must be a list of two integers, the first and the last line, or -1 for the end of the file",
    );
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/**
 * Removes the root from a path, because the memory's own paths do not contain it. Small models leave out the first
 * slash. Returns null for a path elsewhere.
 */
function removeRoot(given: string, root: string): string | null {
  const path = given.replaceAll("\\", "/");
  if (path === "") return null;
  const segments = path.split("/").filter((segment) => segment !== "");
  const rootSegments = splitPath(root);
  if (rootSegments.some((segment, index) => segment !== segments[index])) return null;
  return ROOT + segments.slice(rootSegments.length).join("/");
}
