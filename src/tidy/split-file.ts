import { readFrontMatter } from "../core/search/front-matter.js";
import type { FileText } from "../core/tree/snapshot.js";
import { getName } from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import { encodeTarget } from "./links.js";

/** The largest number of files that one file becomes. The last one has the rest, which a later run splits. */
const maxParts = 20;

/** Where a text may be cut, best first: before a heading, between paragraphs, lines, and words. */
const cuts = [/\n(?=#{1,6} )/g, /\n[ \t]*\n/g, /\n/g, / /g];

/**
 * Splits a large file, so that no part has more than `maxChars`. The first part keeps the path and the front matter. The
 * others are called `trip-2.md` and so on, and each part links to the next one.
 * @param paths the paths that are taken
 */
export function splitFile({ path, content }: FileText, maxChars: number, paths: ReadonlySet<string>): FileText[] {
  const longestLink = createLink(getPartPath(path, 99)).length;
  const texts = splitText(content, Math.max(maxChars - longestLink, Math.ceil(maxChars / 2)));
  const names = [path];
  for (let number = 2; names.length < texts.length; number += 1) {
    const name = getPartPath(path, number);
    if (!paths.has(name)) names.push(name);
  }
  return names.map((name, index) => {
    const next = names[index + 1];
    return { path: name, content: (texts[index] ?? "") + (next === undefined ? "" : createLink(next)) };
  });
}

function splitText(text: string, maxChars: number): string[] {
  const parts: string[] = [];
  let least = text.length - (readFrontMatter(text)?.rest ?? text).length;
  let rest = text;
  while (rest.length > maxChars && parts.length < maxParts - 1) {
    const end = findCut(rest, Math.max(least, Math.ceil(maxChars / 2)), Math.max(least, maxChars));
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^(?:[ \t]*\r?\n)+| /, "");
    least = 0;
  }
  return rest === "" ? parts : [...parts, rest];
}

/** Finds the last good position for a cut between two positions. */
function findCut(text: string, least: number, most: number): number {
  const start = takeStart(text, most);
  for (const cut of cuts) {
    const last = Array.from(start.slice(least).matchAll(cut), ({ index }) => index).at(-1);
    if (last !== undefined) return least + last;
  }
  return start.length;
}

/** Returns `/notes/trip-2.md` for the second part of `/notes/trip.md`. */
function getPartPath(path: string, part: number): string {
  const [, stem = path, extension = ""] = /^(.*\/[^/]+?)(\.[^./]+)?$/s.exec(path) ?? [];
  return `${stem}-${part}${extension}`;
}

function createLink(path: string): string {
  const name = getName(path);
  return `\n\nContinued in [${name}](${encodeTarget(name)}).\n`;
}
