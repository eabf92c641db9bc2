import { readFrontMatter } from "../core/search/front-matter.js";
import type { FileText } from "../core/tree/snapshot.js";
import { invalid } from "../core/values/errors.js";
import { getFirstLineEnd, setLineEnds } from "../core/values/line-ends.js";
import { getName, isStoredPath } from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import { encodeTarget } from "./links.js";
import { followCode, isNote } from "./note-lines.js";

/** The largest number of files that one file becomes. The last one has the rest, which a later run splits. */
const maxParts = 20;

/** Where a text may be cut, best first: before a heading, between paragraphs, lines, and words. */
const cuts = [/\n(?=#{1,6} )/g, /\n[ \t]*\r?\n/g, /\n/g, / /g];

/**
 * Splits a large note, so that no part has more than `maxChars`. The first part keeps the path and the front matter. The
 * others are called `trip-2.md` and so on, and each part links to the next one.
 * @param paths the paths that are taken
 * @throws MemoryError EINVAL for a file that cannot be split so
 */
export function splitFile({ path, content }: FileText, maxChars: number, paths: ReadonlySet<string>): FileText[] {
  if (content.length <= maxChars) return [{ path, content }];
  if (!isNote(path)) throw invalid("only notes are split, and the file is no note by its name");
  const lineEnd = getFirstLineEnd(content);
  const longestName = getPartPath(path, 99);
  const room = maxChars - setLineEnds(createLink(longestName), lineEnd).length;
  const startChars = content.length - (readFrontMatter(content)?.rest ?? content).length;
  if (!isStoredPath(longestName)) throw invalid("the file cannot be split: the names of its parts would be too long");
  if (startChars > room || room < maxChars / 2)
    throw invalid(`${maxChars} characters are too few to split the file: its name or its front matter is too long`);
  const texts = splitText(content, startChars, room);
  if (texts === null)
    throw invalid(`${maxChars} characters are too few to split the file: a block of code is longer, or has no end`);
  const names = [path];
  for (let number = 2; names.length < texts.length; number += 1) {
    const name = getPartPath(path, number);
    if (!paths.has(name)) names.push(name);
  }
  return names.map((name, index) => {
    const next = names[index + 1];
    const link = next === undefined ? "" : setLineEnds(createLink(next), lineEnd);
    return { path: name, content: (texts[index] ?? "") + link };
  });
}

/** @param startChars the first part is at least so long. @returns null if a block of code would be cut */
function splitText(text: string, startChars: number, maxChars: number): string[] | null {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxChars && parts.length < maxParts - 1) {
    const end = findCut(rest, parts.length === 0 ? startChars : 0, maxChars);
    if (end === null) return null;
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^(?:[ \t]*\r?\n)+| /, "");
  }
  return rest === "" ? parts : [...parts, rest];
}

/** Finds the last good position for a cut: in the second half if there is one. Null if all of it is in code. */
function findCut(rest: string, startChars: number, maxChars: number): number | null {
  const start = takeStart(rest, maxChars);
  const { text, isOpen } = coverCode(start);
  for (const least of [Math.max(startChars, Math.ceil(maxChars / 2)), startChars + 1])
    for (const cut of cuts) {
      const last = Array.from(text.slice(least).matchAll(cut), ({ index }) => index).at(-1);
      if (last !== undefined) return least + last;
    }
  return isOpen ? null : start.length;
}

/** Covers blocks of code, so that nothing in them looks like a good position for a cut. */
function coverCode(text: string): { text: string; isOpen: boolean } {
  const isCodeAfter = followCode();
  let isOpen = false;
  const lines = text.split("\n").map((line, index) => {
    const wasOpen = isOpen;
    isOpen = isCodeAfter(line);
    const start = index === 0 ? "" : wasOpen ? "x" : "\n";
    return start + (wasOpen || isOpen ? "x".repeat(line.length) : line);
  });
  return { text: lines.join(""), isOpen };
}

/** Returns `/notes/trip-2.md` for the second part of `/notes/trip.md`. */
export function getPartPath(path: string, part: number): string {
  const [, stem = path, extension = ""] = /^(.*\/[^/]+?)(\.[^./]+)?$/s.exec(path) ?? [];
  return `${stem}-${part}${extension}`;
}

function createLink(path: string): string {
  const name = getName(path);
  return `\n\nContinued in [${name.replaceAll(/[[\]`]/g, "\\$&")}](${encodeTarget(name)}).\n`;
}
