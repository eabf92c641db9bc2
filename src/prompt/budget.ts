import type { Steps } from "../core/runtime/time-slices.js";
import { invalid } from "../core/values/errors.js";
import type { TokenLimit } from "./connector-options.js";

/** The room of a text. */
export interface Budget {
  /** In UTF-16 units. */
  maxChars: number;
  /** Null: tokens do not count. */
  tokens: TokenLimit | null;
}

/** Characters of a token, at most. Fewer are the rule. */
const maxCharsPerToken = 6;
const maxAttempts = 6;

/** Returns the budget that is left beside another text. */
export function leaveRoom({ maxChars, tokens }: Budget, text: string): Budget {
  return {
    maxChars: maxChars - text.length,
    tokens: tokens && { ...tokens, max: tokens.max - countTokens(tokens, text) },
  };
}

/** Renders a text with fewer and fewer characters until it has few enough tokens. Null if no text fits. */
export function* fitBudget<Rendered extends { text: string }>(
  { maxChars, tokens }: Budget,
  render: (maxChars: number) => Steps<Rendered | null>,
): Steps<Rendered | null> {
  if (tokens === null) return yield* render(maxChars);
  let chars = Math.min(maxChars, tokens.max * maxCharsPerToken);
  for (let attempt = 0; attempt < maxAttempts && chars > 0; attempt += 1) {
    const rendered = yield* render(chars);
    if (rendered === null) return null;
    const used = countTokens(tokens, rendered.text);
    if (used <= tokens.max) return rendered;
    // Aims a little lower, because a shorter text may have more tokens for its length.
    chars = Math.floor(Math.min(chars, rendered.text.length) * Math.min(0.95, (tokens.max / used) * 0.98));
  }
  return null;
}

/** @throws MemoryError EINVAL if `countTokens` fails, or returns no number */
function countTokens({ count }: TokenLimit, text: string): number {
  const tokens = callCounter(count, text);
  if (typeof tokens === "number" && tokens >= 0) return tokens;
  throw invalid("countTokens must return a number");
}

function callCounter(count: TokenLimit["count"], text: string): unknown {
  try {
    return count(text);
  } catch (cause) {
    throw invalid(`countTokens failed: ${String(cause)}`, cause);
  }
}
