import { getFirstLineEnd, type LineEnd, setLineEnds } from "../../core/values/line-ends.js";
import { splitIndent, trim, trimEnd } from "./white-space.js";

/** The contents of a block. `at` is the time as the file spells it, or "" if the block has none. */
export interface BlockText {
  key: string;
  content: string;
  at: string;
  tags: string[];
}

/** A block and its position: `text.slice(start, end)` is the whole block, with the blank line after its metadata. */
export interface Block extends BlockText {
  start: number;
  end: number;
}

interface Line {
  start: number;
  /** The position at which the next line starts. */
  end: number;
  /** The line without its `\n`. A `\r` before the `\n` stays. */
  text: string;
}

const headingMark = "### ";
const metadataMark = "<!-- agentool-memory:";
const metadataEnd = "-->";
const byteOrderMark = "\uFEFF";

/** Formats a block as the crate does, which also trims the end of the content. */
export function serializeBlock({ key, content, at, tags }: BlockText, lineEnd: LineEnd = "\n"): string {
  const body = escapeLines(trimEnd(content));
  const labels = tags.length > 0 ? ` tags=${tags.join("|")}` : "";
  const text = `${headingMark}${key}\n\n${body}\n\n${metadataMark} at=${at}${labels} ${metadataEnd}\n\n`;
  return lineEnd === "\n" ? text : setLineEnds(text, lineEnd);
}

/** Removes `block` from the text and appends `replacement`. The rest of the text stays unchanged. */
export function moveToEnd(text: string, block: Block, replacement: BlockText): string {
  const lineEnd = getFirstLineEnd(text);
  const rest = text.slice(0, block.start) + text.slice(block.end);
  const separator = rest === "" || rest.endsWith("\n") ? "" : lineEnd;
  return rest + separator + serializeBlock(replacement, lineEnd);
}

/**
 * Finds the blocks of a file by the crate's grammar, with four additions for files that a person wrote: a byte order
 * mark hides no heading, content keeps its indentation and its blank lines at the start, text after the metadata on the
 * same line is outside the block, and a block without metadata ends before a heading of level 1 or 2.
 */
export function parseBlocks(text: string): Block[] {
  return Array.from(parsing(text)).filter((block) => block !== undefined);
}

/** Yields the blocks of a file in steps, so that a caller can pause. A step that ends no block yields undefined. */
export function* parsing(text: string): Generator<Block | undefined> {
  let line = readLine(text, text.startsWith(byteOrderMark) ? 1 : 0);
  while (line !== undefined) {
    const heading = line;
    const key = getHeadingKey(heading.text);
    line = readLine(text, heading.end);
    if (key === "") {
      yield undefined;
      continue;
    }
    const body: Line[] = [];
    for (; line !== undefined && !endsBlock(line); line = readLine(text, line.end)) {
      body.push(line);
      yield undefined;
    }
    yield line !== undefined && isMetadata(line.text)
      ? createClosedBlock(key, heading, body, line, readLine(text, line.end))
      : createOpenBlock(key, heading, body);
  }
}

function readLine(text: string, start: number): Line | undefined {
  if (start >= text.length) return undefined;
  const lineBreak = text.indexOf("\n", start);
  const end = lineBreak === -1 ? text.length : lineBreak + 1;
  return { start, end, text: text.slice(start, lineBreak === -1 ? end : lineBreak) };
}

/** Returns the key of a heading, or "" for any other line and for a heading without a key. */
function getHeadingKey(line: string): string {
  return line.startsWith(headingMark) ? trim(line.slice(headingMark.length)) : "";
}

function endsBlock(line: Line): boolean {
  return line.text.startsWith(headingMark) || isMetadata(line.text);
}

function isMetadata(line: string): boolean {
  // Most lines do not contain the mark. This check is faster than a search for the end of the white space.
  return line.includes(metadataMark) && splitIndent(line)[1].startsWith(metadataMark);
}

const isBlank = (line: Line | undefined): boolean => line !== undefined && trim(line.text) === "";

function createClosedBlock(key: string, heading: Line, body: Line[], metadata: Line, next: Line | undefined): Block {
  // The format has one blank line after the heading. Further blank lines belong to the content.
  const content = getBlockContent(heading, isBlank(body[0]) ? body.slice(1) : body);
  const comment = metadata.text.lastIndexOf(metadataEnd) + metadataEnd.length;
  const [indent, behind] = splitIndent(metadata.text.slice(comment));
  const isWhole = comment < metadataEnd.length || behind === "";
  const lineEnd = isBlank(next) ? (next?.end ?? metadata.end) : metadata.end;
  const end = isWhole ? lineEnd : metadata.start + comment + indent.length;
  return { key, content, ...parseMetadata(metadata.text), start: heading.start, end };
}

function createOpenBlock(key: string, heading: Line, lines: Line[]): Block {
  const body = lines.slice(0, findSectionStart(lines));
  const first = body.findIndex((line) => !isBlank(line));
  const content = first === -1 ? "" : getBlockContent(heading, body.slice(first));
  return { key, content, at: "", tags: [], start: heading.start, end: body.at(-1)?.end ?? heading.end };
}

/** The index of the line that begins a new section: a heading of level 1 or 2 outside fenced code. */
function findSectionStart(lines: Line[]): number {
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

function getBlockContent(heading: Line, body: Line[]): string {
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
 * Adds a backslash to a content line that would read as a heading or as metadata. This is Markdown's own escape:
 * renderers show the line as it was meant, and the crate reads the line as text. A line that already has backslashes at
 * this position gets one more, so that every content is read back unchanged.
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
