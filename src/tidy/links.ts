/** A link in a line. */
export interface NoteLink {
  kind: "markdown" | "wiki";
  /** The target, as it is written. */
  target: string;
  /** The parts of the line around the words that a reader sees. */
  marks: [Span, Span];
  /** The part of the line that names the target. */
  targetSpan: Span;
}

type Span = readonly [start: number, end: number];

/**
 * A target in angle brackets may contain blanks, and another one may contain parentheses. All parts have a largest
 * length, so that a long line takes linear time.
 */
const markdownLink =
  /\]\((<([^<>]{1,1024})>|(?:[^()<>\s]|\([^()\s]{0,99}\)){1,1024})(?:[ \t]{1,99}(?:"[^"]{0,1024}"|'[^']{0,1024}'))?[ \t]{0,99}\)/dg;
/** In a table there is a backslash before the words. */
const wikiLink = /!?\[\[(([^[\]|#\n]{0,1024})(?:#[^[\]|\n]{0,1024})?)(\|[^[\]\n]{0,1024})?\]\]/dg;
/** Code between equal marks, and brackets that are no marks. */
const inlineCode = /(?<!`)(`{1,9})(?!`)[^]*?(?<!`)\1(?!`)|\\[[\]]/g;

/** Yields the links of a line, without those in code. */
export function* findLinks(line: string): Generator<NoteLink> {
  const text = line.replaceAll(inlineCode, (code) => " ".repeat(code.length));
  /** The positions of the brackets that are open. */
  const opened: number[] = [];
  let scanned = 0;
  for (const match of text.matchAll(markdownLink)) {
    for (; scanned < match.index; scanned += 1)
      if (text[scanned] === "[") opened.push(scanned);
      else if (text[scanned] === "]") opened.pop();
    scanned += 1;
    const open = opened.pop();
    const targetSpan = match.indices?.[2] ?? match.indices?.[1];
    if (open === undefined || targetSpan === undefined) continue;
    const start = text[open - 1] === "!" ? open - 1 : open;
    const marks: NoteLink["marks"] = [
      [start, open + 1],
      [match.index, match.index + match[0].length],
    ];
    yield { kind: "markdown", target: match[2] ?? match[1] ?? "", marks, targetSpan };
  }
  for (const match of text.matchAll(wikiLink)) {
    const [whole, , name = "", words] = match;
    const targetSpan = match.indices?.[1];
    if (targetSpan === undefined || name.trim() === "") continue;
    const end = match.index + whole.length;
    const shown = words === undefined ? targetSpan[0] : targetSpan[1] + 1;
    const marks: NoteLink["marks"] = [
      [match.index, shown],
      [end - 2, end],
    ];
    yield { kind: "wiki", target: name.replace(/\\$/, "").trim(), marks, targetSpan };
  }
}

/** Returns a path as the target of a link. */
export function encodeTarget(path: string): string {
  return encodeURI(path).replaceAll(/[()?#:]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** Replaces parts of a line. A part within another one goes with it. */
export function replaceSpans(line: string, replacements: readonly (readonly [span: Span, text: string])[]): string {
  let result = "";
  let copied = 0;
  for (const [[start, end], text] of replacements.toSorted(([[a]], [[b]]) => a - b)) {
    result += line.slice(copied, start) + (start < copied ? "" : text);
    copied = Math.max(copied, end);
  }
  return result + line.slice(copied);
}
