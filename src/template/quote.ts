import { shorten } from "../core/values/text.js";

/** Puts a text in quotes and on one line. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 200));
}

const maxQuotedChars = 400;

/** Quotes only as many texts as it shows, because thousands of issues may each list thousands of ids. */
export function quoteAll(texts: Iterable<string>): string {
  const quoted: string[] = [];
  let chars = 0;
  for (const text of texts) {
    quoted.push(quote(text));
    chars += text.length;
    if (chars > maxQuotedChars || quoted.length > maxQuotedChars) break;
  }
  return shorten(quoted.join(", "), maxQuotedChars);
}
