/** A link in a line. */
export interface NoteLink {
  kind: "markdown" | "wiki";
  /** The target, as it is written. */
  target: string;
}

/**
 * A target in angle brackets may contain blanks, and another one may contain parentheses. All parts have a largest
 * length, so that a long line takes linear time.
 */
const markdownLink =
  /\]\((<([^<>]{1,1024})>|(?:[^()<>\s]|\([^()\s]{0,99}\)){1,1024})(?:[ \t]{1,99}(?:"[^"]{0,1024}"|'[^']{0,1024}'))?[ \t]{0,99}\)/g;
/** In a table there is a backslash before the words. */
const wikiLink = /\[\[([^[\]|#\n]{0,1024})(?:#[^[\]|\n]{0,1024})?(?:\|[^[\]\n]{0,1024})?\]\]/g;
/** Code between equal marks, and brackets that are no marks. */
const inlineCode = /(?<!`)(`{1,9})(?!`)[^]*?(?<!`)\1(?!`)|\\[[\]]/g;

/** Yields the links of a line, without those in code. */
export function* findLinks(line: string): Generator<NoteLink> {
  const text = line.replaceAll(inlineCode, (code) => " ".repeat(code.length));
  /** The number of brackets that are open. */
  let opened = 0;
  let scanned = 0;
  for (const match of text.matchAll(markdownLink)) {
    for (; scanned < match.index; scanned += 1)
      if (text[scanned] === "[") opened += 1;
      else if (text[scanned] === "]") opened = Math.max(0, opened - 1);
    scanned += 1;
    if (opened === 0) continue;
    opened -= 1;
    yield { kind: "markdown", target: match[2] ?? match[1] ?? "" };
  }
  for (const [, name = ""] of text.matchAll(wikiLink))
    if (name.trim() !== "") yield { kind: "wiki", target: name.replace(/\\$/, "").trim() };
}
