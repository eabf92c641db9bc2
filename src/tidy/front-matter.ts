/** Splits a text into its YAML front matter and the rest. Without front matter the first part is "". */
export function splitFrontMatter(content: string): { frontMatter: string; lines: number } {
  // Editors on Windows begin a text with a byte order mark.
  const [opening] = /^\uFEFF?---[ \t]*\r?\n/.exec(content) ?? [];
  if (opening === undefined) return { frontMatter: "", lines: 0 };
  const rest = content.slice(opening.length);
  const closing = /^---[ \t]*\r?$/m.exec(rest);
  if (closing === null) return { frontMatter: "", lines: 0 };
  const frontMatter = rest.slice(0, closing.index);
  return { frontMatter, lines: frontMatter.split("\n").length + 1 };
}
