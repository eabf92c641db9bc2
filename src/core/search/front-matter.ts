/**
 * Returns the front matter at the start of a text, and the rest if its end is known. Null without front matter.
 * @param text may end inside the front matter, in the middle of a line
 */
export function readFrontMatter(text: string): { frontMatter: string; rest: string | null } | null {
  // Editors on Windows begin a text with a byte order mark.
  const [opening] = /^\uFEFF?---[ \t]*\r?\n/.exec(text) ?? [];
  if (opening === undefined) return null;
  const body = text.slice(opening.length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(body);
  if (closing === null) return { frontMatter: body.slice(0, body.lastIndexOf("\n") + 1), rest: null };
  return { frontMatter: body.slice(0, closing.index), rest: body.slice(closing.index + closing[0].length) };
}
