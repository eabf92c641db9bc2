import { MemoryError } from "../../core/values/errors.js";
import { normalizePath, getPathPrefix, ROOT, splitPath } from "../../core/values/paths.js";
import { meantText, shownText } from "../../core/display/shown-text.js";
import { badParameter, ClaudeRefusal, echo, toRefusal } from "./refusal.js";

/** A path as the model gave it, which the answers repeat, and where it is in the memory. */
export interface ClaudePath {
  given: string;
  path: string;
}

/** The arguments of one call, which may be anything; each is checked where a command asks for it. */
export class ClaudeArguments {
  readonly #values: Record<string, unknown>;
  readonly #root: string;

  constructor(values: Record<string, unknown>, root: string) {
    this.#values = values;
    this.#root = root;
  }

  /** @throws ClaudeRefusal for a path outside the root, and for one that no rule of names allows */
  path(name: "path" | "old_path" | "new_path"): ClaudePath {
    // No name holds a backslash, so an escape can only be one that an answer has shown.
    const given = meantText(this.text(name));
    const rest = belowRoot(given, this.#root);
    if (rest === null)
      throw new ClaudeRefusal("EINVAL", `Error: Path must start with ${this.#root}, got: ${echo(given)}`);
    try {
      return { given: echo(given), path: normalizePath(rest) };
    } catch (error) {
      throw MemoryError.isInstance(error) ? toRefusal(error) : error;
    }
  }

  /** How the model calls a path of the memory. */
  shownPath(path: string): string {
    return shownText(path === ROOT ? this.#root : getPathPrefix(this.#root) + path.slice(1));
  }

  text(name: string): string {
    const text = this.optionalText(name);
    if (text === undefined) throw badParameter(name, "it is required and must be a string");
    return text;
  }

  /** Some models send null for what they leave out. */
  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw badParameter(name, "it must be a string");
    if (!value.isWellFormed()) throw badParameter(name, "it is not well-formed Unicode (it holds a lone surrogate)");
    return value;
  }

  /** What `create` writes: `file_text`, or `content` as the memory tool of FastMCP4J calls it. */
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

  /** The first and the last line of a range; -1 is the end of the file. */
  optionalRange(name: string): [first: number, last: number] | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
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

/** The path from the root on, or null for what is not below it. The root is not part of the memory's own paths. */
function belowRoot(given: string, root: string): string | null {
  const path = given.replaceAll("\\", "/");
  if (!path.startsWith("/")) return null;
  const segments = path.split("/").filter((segment) => segment !== "");
  const rootSegments = splitPath(root);
  if (rootSegments.some((segment, index) => segment !== segments[index])) return null;
  return ROOT + segments.slice(rootSegments.length).join("/");
}
