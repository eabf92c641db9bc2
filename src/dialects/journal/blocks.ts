import { splitIndent, trim, trimEnd } from "./white-space.js";

/** What a block says; `at` is the text of its time as it stands in the file, "" without one. */
export interface BlockText {
  key: string;
  content: string;
  at: string;
  tags: string[];
}

/** A block where it stands: `text.slice(start, end)` is all of it, with the blank line that follows its metadata. */
export interface Block extends BlockText {
  start: number;
  end: number;
}

export type LineBreak = "\n" | "\r\n";

interface Line {
  start: number;
  /** Where the next line starts. */
  end: number;
  /** Without the `\n`, with a `\r` before it. */
  text: string;
}

const headingMark = "### ";
const metadataMark = "<!-- agentool-memory:";
const metadataEnd = "-->";
const byteOrderMark = "\uFEFF";

/** A block as the crate writes it. The end of the content is trimmed, as the crate does. */
export function serializeBlock({ key, content, at, tags }: BlockText, lineBreak: LineBreak = "\n"): string {
  const body = escapeLines(trimEnd(content));
  const labels = tags.length > 0 ? ` tags=${tags.join("|")}` : "";
  const text = `${headingMark}${key}\n\n${body}\n\n${metadataMark} at=${at}${labels} ${metadataEnd}\n\n`;
  return lineBreak === "\n" ? text : text.replaceAll(/\r?\n/g, lineBreak);
}

/** The line break of a file, which its first line decides. */
export function getLineBreak(text: string): LineBreak {
  return text.charAt(text.indexOf("\n") - 1) === "\r" ? "\r\n" : "\n";
}

/** The text with `block` taken out and `replacement` at its end; everything else stays as it was. */
export function moveToEnd(text: string, block: Block, replacement: BlockText): string {
  const lineBreak = getLineBreak(text);
  const rest = text.slice(0, block.start) + text.slice(block.end);
  const separator = rest === "" || rest.endsWith("\n") ? "" : lineBreak;
  return rest + separator + serializeBlock(replacement, lineBreak);
}

/**
 * The blocks of a file, by the crate's grammar, which is extended for files that a person wrote: a byte order mark
 * hides no heading, a content keeps its indentation and its blank lines at the start, text after the metadata on the
 * same line does not belong to the block, and a block without metadata ends before a heading of level 1 or 2.
 */
export function parseBlocks(text: string): Block[] {
  return Array.from(parsing(text)).filter((block) => block !== undefined);
}

/** The same in steps, of which each that ends no block answers undefined. */
export function* parsing(text: string): Generator<Block | undefined> {
  let line = lineFrom(text, text.startsWith(byteOrderMark) ? 1 : 0);
  while (line !== undefined) {
    const heading = line;
    const key = headingKey(heading.text);
    line = lineFrom(text, heading.end);
    if (key === "") {
      yield undefined;
      continue;
    }
    const body: Line[] = [];
    for (; line !== undefined && !endsBlock(line); line = lineFrom(text, line.end)) {
      body.push(line);
      yield undefined;
    }
    yield line !== undefined && isMetadata(line.text)
      ? closedBlock(key, heading, body, line, lineFrom(text, line.end))
      : openBlock(key, heading, body);
  }
}

function lineFrom(text: string, start: number): Line | undefined {
  if (start >= text.length) return undefined;
  const lineBreak = text.indexOf("\n", start);
  const end = lineBreak === -1 ? text.length : lineBreak + 1;
  return { start, end, text: text.slice(start, lineBreak === -1 ? end : lineBreak) };
}

/** The key of a heading; "" for any other line, a heading without a key included. */
function headingKey(line: string): string {
  return line.startsWith(headingMark) ? trim(line.slice(headingMark.length)) : "";
}

function endsBlock(line: Line): boolean {
  return line.text.startsWith(headingMark) || isMetadata(line.text);
}

function isMetadata(line: string): boolean {
  // Most lines have no such mark anywhere. To see that is faster than to find where their white space ends.
  return line.includes(metadataMark) && splitIndent(line)[1].startsWith(metadataMark);
}

const isBlank = (line: Line | undefined): boolean => line !== undefined && trim(line.text) === "";

function closedBlock(key: string, heading: Line, body: Line[], metadata: Line, next: Line | undefined): Block {
  // One blank line after the heading belongs to the format; further ones belong to the content.
  const content = blockContent(heading, isBlank(body[0]) ? body.slice(1) : body);
  const comment = metadata.text.lastIndexOf(metadataEnd) + metadataEnd.length;
  const [indent, behind] = splitIndent(metadata.text.slice(comment));
  const isWhole = comment < metadataEnd.length || behind === "";
  const lineEnd = isBlank(next) ? (next?.end ?? metadata.end) : metadata.end;
  const end = isWhole ? lineEnd : metadata.start + comment + indent.length;
  return { key, content, ...parseMetadata(metadata.text), start: heading.start, end };
}

function openBlock(key: string, heading: Line, lines: Line[]): Block {
  const body = lines.slice(0, sectionStart(lines));
  const first = body.findIndex((line) => !isBlank(line));
  const content = first === -1 ? "" : blockContent(heading, body.slice(first));
  return { key, content, at: "", tags: [], start: heading.start, end: body.at(-1)?.end ?? heading.end };
}

/** Which line begins a section of its own: a heading of level 1 or 2 that is no comment in a fenced example. */
function sectionStart(lines: Line[]): number {
  let fence: string | undefined;
  for (const [index, { text }] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence === undefined) {
      if (/^##?(?:\s|$)/.test(text)) return index;
      fence = mark;
    } else if (mark?.startsWith(fence) === true && trim(text) === mark) {
      fence = undefined;
    }
  }
  return lines.length;
}

function blockContent(heading: Line, body: Line[]): string {
  const inWindowsFile = heading.text.endsWith("\r");
  const texts = body.map(({ text }) => unescapeLine(inWindowsFile ? text.replace(/\r$/, "") : text));
  return trimEnd(texts.join("\n"));
}

function parseMetadata(metadata: string): { at: string; tags: string[] } {
  const inner = splitIndent(metadata)[1].slice(metadataMark.length);
  const end = inner.lastIndexOf(metadataEnd);
  const statement = trim(inner.slice(0, Math.max(0, end)));
  if (!statement.startsWith("at=")) return { at: "", tags: [] };
  const separator = statement.indexOf(" tags=");
  if (separator === -1) return { at: trim(statement.slice("at=".length)), tags: [] };
  const tags = statement
    .slice(separator + " tags=".length)
    .split("|")
    .map(trim);
  return { at: trim(statement.slice("at=".length, separator)), tags: tags.filter((tag) => tag !== "") };
}

const escapable = { heading: /^\\*### /, metadata: /^\\*<!-- agentool-memory:/ };

function escapeLines(content: string): string {
  const isPlain = !content.includes(headingMark) && !content.includes(metadataMark);
  return isPlain ? content : content.split("\n").map(escapeLine).join("\n");
}

/**
 * A content line that would read as a heading or as metadata gets a backslash, Markdown's own way to take a mark's
 * meaning away: renderers show the line as it was meant and the crate reads it as text. A line that already has
 * backslashes there gets one more, so that every content comes back as it was.
 */
function escapeLine(line: string): string {
  if (escapable.heading.test(line)) return `\\${line}`;
  if (!line.includes(metadataMark)) return line;
  const [indent, rest] = splitIndent(line);
  return escapable.metadata.test(rest) ? `${indent}\\${rest}` : line;
}

function unescapeLine(line: string): string {
  if (!line.includes("\\")) return line;
  const [indent, rest] = splitIndent(line);
  const isEscaped = rest.startsWith("\\") && (escapable.heading.test(line) || escapable.metadata.test(rest));
  return isEscaped ? indent + rest.slice(1) : line;
}
