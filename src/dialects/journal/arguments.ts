import { shorten } from "../../core/values/text.js";
import { type DialectError, parseArguments } from "../define-tool.js";
import { createJournalError } from "./errors.js";
import { trim } from "./white-space.js";

export type JournalTarget = "daily" | "summary";

export const limits = {
  keyChars: 512,
  contentChars: 100_000,
  tags: 64,
  tagChars: 128,
  results: 100,
  defaultResults: 10,
} as const;

/** Characters that any program takes for the end of a line, and every other control character. */
const controlOrSeparator = /[\p{Cc}\u2028\u2029]/u;

const createArgumentError = (message: string): DialectError => createJournalError("MEMORY_INVALID_ARGUMENT", message);
const createKeyError = (message: string): DialectError => createJournalError("MEMORY_INVALID_KEY", message);

/**
 * The arguments of one call, which may be anything. Checked in the crate's order: key, content, tags, target, and the
 * rules inside the key last.
 */
export class JournalArguments {
  readonly #values: Record<string, unknown>;

  constructor(given: unknown, names: readonly string[]) {
    const shown = names.map((name) => `\`${name}\``).join(", ");
    const unknownName = (name: string): DialectError =>
      createArgumentError(`unknown argument: \`${shorten(name, 64)}\`; the arguments are ${shown}`);
    this.#values = parseArguments(given, (name) => names.includes(name), { unknownName });
  }

  /** The key, trimmed and in NFC, so that each key has one spelling. */
  key(): string {
    const key = trim(this.#text("key")).normalize("NFC");
    if (key === "") throw createKeyError("memory key must be non-empty");
    return key;
  }

  content(): string {
    const content = this.#text("content");
    if (content.length <= limits.contentChars) return content;
    throw createJournalError(
      "MEMORY_CONTENT_TOO_LARGE",
      `\`content\` has ${content.length} characters, over its limit of ${limits.contentChars}; split it into ` +
        "several keys",
    );
  }

  query(): string {
    return trim(this.#text("query"));
  }

  /** The tags, trimmed, without empty ones. Undefined if the call has no tags. */
  tags(): string[] | undefined {
    const tags = this.#values["tags"];
    if (tags === undefined) return undefined;
    if (!Array.isArray(tags) || !tags.every((tag): tag is string => typeof tag === "string")) {
      throw createArgumentError("invalid `tags`: expected array of strings");
    }
    if (tags.length > limits.tags) throw createArgumentError(`invalid \`tags\`: more than ${limits.tags}`);
    return tags.map(checkTag).filter((tag) => tag !== "");
  }

  target(): JournalTarget {
    const { target = "daily" } = this.#values;
    if (typeof target !== "string") {
      throw createJournalError("MEMORY_INVALID_TARGET", "invalid `target`: expected string");
    }
    if (target === "daily" || target === "summary") return target;
    throw createJournalError(
      "MEMORY_INVALID_TARGET",
      `\`target\` must be "daily" or "summary", got ${JSON.stringify(shorten(target, 64))}`,
    );
  }

  limit(): number {
    const limit = this.#values["limit"];
    if (limit === undefined) return limits.defaultResults;
    if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= limits.results) return limit;
    throw createArgumentError(`invalid \`limit\`: expected integer from 1 to ${limits.results}`);
  }

  /** The first line to read, from 1. */
  fromLine(): number {
    const { from_line: line = 1 } = this.#values;
    if (typeof line === "number" && Number.isSafeInteger(line) && line >= 1) return line;
    throw createArgumentError("invalid `from_line`: expected integer from 1");
  }

  /** @throws INVALID_PATH, the crate's code for a bad argument */
  #text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string" && value.isWellFormed()) return value;
    const reason = typeof value === "string" ? ": not well-formed Unicode (it holds a lone surrogate)" : "";
    throw createJournalError("INVALID_PATH", `missing or invalid \`${name}\`${reason}`);
  }
}

export function checkSingleLine(key: string): void {
  if (/[\n\r]/.test(key)) throw createKeyError("memory key must be a single line");
}

/** Checks a new key. A key of a person or of the crate may break these rules and is still read. */
export function checkNewKey(key: string): void {
  checkSingleLine(key);
  if (controlOrSeparator.test(key))
    throw createKeyError("memory key must not contain control or line separator characters");
  if (key.length > limits.keyChars) throw createKeyError(`memory key must be at most ${limits.keyChars} characters`);
}

function checkTag(given: string): string {
  const tag = trim(given);
  const isLegal = !controlOrSeparator.test(tag) && !tag.includes("|") && !tag.includes("-->") && tag.isWellFormed();
  if (!isLegal) throw createArgumentError("invalid `tags`: a tag must not contain `|`, `-->` or control characters");
  if (tag.length > limits.tagChars)
    throw createArgumentError(`invalid \`tags\`: a tag of more than ${limits.tagChars} characters`);
  return tag;
}
