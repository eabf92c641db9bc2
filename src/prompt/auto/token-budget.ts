import type { Steps } from "../../core/runtime/time-slices.js";
import { invalid } from "../../core/values/errors.js";
import type { TokenLimit } from "../connector-options.js";

/** Characters of a token, at most. Fewer are the rule. */
const maxCharsPerToken = 6;
const maxAttempts = 6;

/** Counts the tokens of a text. Without a limit, they do not count. @throws MemoryError EINVAL if `countTokens` fails */
export function countTokens(limit: TokenLimit | null, text: string | null): number {
  if (limit === null || text === null) return 0;
  const tokens = callCounter(limit, text);
  if (typeof tokens === "number" && tokens >= 0) return tokens;
  throw invalid("countTokens must return a number");
}

function callCounter({ count }: TokenLimit, text: string): unknown {
  try {
    return count(text);
  } catch (cause) {
    throw invalid(`countTokens failed: ${String(cause)}`, cause);
  }
}

/**
 * Renders a text with fewer and fewer characters until it has few enough tokens. Null if no text fits.
 * @param usedTokens the tokens of other texts
 * @param render returns null if nothing fits
 */
export function* fitTokens<Rendered extends { text: string }>(
  tokens: TokenLimit | null,
  usedTokens: number,
  maxChars: number,
  render: (maxChars: number) => Steps<Rendered | null>,
): Steps<Rendered | null> {
  if (tokens === null) return yield* render(maxChars);
  const max = tokens.max - usedTokens;
  let chars = Math.min(maxChars, max * maxCharsPerToken);
  for (let attempt = 0; attempt < maxAttempts && chars > 0; attempt += 1) {
    const rendered = yield* render(chars);
    if (rendered === null) return null;
    const used = countTokens(tokens, rendered.text);
    if (used <= max) return rendered;
    // Aims a little lower, because a shorter text may have more tokens for its length.
    chars = Math.floor(Math.min(chars, rendered.text.length) * Math.min(0.95, (max / used) * 0.98));
  }
  return null;
}
