import { MemoryError, type MemoryErrorCode } from "../../core/values/errors.js";
import { shownText } from "../../core/display/shown-text.js";
import { shorten, takeStart } from "../../core/values/text.js";

/**
 * A refusal in the documented words. Some refusals begin with `Error: `. `message` omits this prefix, because the SDK's
 * runner adds it to every message that a handler throws.
 */
export class ClaudeRefusal extends MemoryError {
  /** The text that the tool answers. */
  readonly text: string;

  constructor(code: MemoryErrorCode, text: string, options?: { cause?: unknown }) {
    super(code, text.replace(/^Error: /, ""), options);
    this.text = text;
  }
}

/** Refuses an argument that a command cannot use. */
export function badParameter(name: string, reason: string): ClaudeRefusal {
  return new ClaudeRefusal("EINVAL", `Error: Invalid \`${name}\` parameter: ${reason}`);
}

/** Converts an error of the memory to the words of this dialect. */
export function toRefusal(error: MemoryError): ClaudeRefusal {
  return error instanceof ClaudeRefusal
    ? error
    : new ClaudeRefusal(error.code, `Error: ${shownText(error.message)}`, { cause: error });
}

/** Runs a command of the memory. Refuses with the text that `words` has for the error code. */
export async function inWords<T>(words: Partial<Record<MemoryErrorCode, string>>, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error) || error instanceof ClaudeRefusal) throw error;
    const text = words[error.code];
    throw text === undefined ? error : new ClaudeRefusal(error.code, text, { cause: error });
  }
}

const maxEchoChars = 500;

/** Prepares an argument for an answer: shortened, with hidden characters shown. */
export function echo(given: string, maxChars = maxEchoChars): string {
  return shorten(shownText(takeStart(given, maxChars + 1)), maxChars);
}
