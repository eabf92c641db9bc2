import { getName, getParent, getPathPrefix, ROOT, splitPath } from "../../core/values/paths.js";
import { shorten } from "../../core/values/text.js";
import type { FoundFault, TidyCheck } from "../finding.js";
import { proseLines } from "../note-lines.js";

/** The targets have a largest length, so that a long line takes linear time. */
const markdownLink = /\]\(<?([^()<>\s]{1,1024})/g;
const wikiLink = /\[\[([^[\]\n]{1,1024})\]\]/g;
const inlineCode = /`[^`]*`/g;

/** Addresses outside the memory, and places in the same note. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i;

const maxShownChars = 100;

export const deadLinks: TidyCheck = ({ paths }) => {
  const isKnown = (path: string): boolean => path === ROOT || paths.has(path) || paths.has(`${path}.md`);
  let names: ReadonlySet<string> | null = null;
  const isWikiName = (name: string): boolean => {
    names ??= new Set(Array.from(paths, getWikiName));
    return names.has(getWikiName(ROOT + name));
  };
  return function* examineFile({ path, content }) {
    const found: FoundFault[] = [];
    const add = (line: number, target: string): void => {
      const message = `a link to ${shorten(target, maxShownChars)}, which does not exist`;
      found.push({ kind: "deadLink", line, count: 1, message, remedy: null });
    };
    for (const { line, text } of proseLines(content)) {
      yield;
      const shown = text.replaceAll(inlineCode, "");
      for (const [, target = ""] of shown.matchAll(markdownLink)) {
        if (elsewhere.test(target)) continue;
        const resolved = resolveLink(path, target);
        if (resolved === null || !isKnown(resolved)) add(line, target);
      }
      for (const [, link = ""] of shown.matchAll(wikiLink)) {
        const name = link.split(/[|#]/)[0]?.trim() ?? "";
        if (name !== "" && !isWikiName(name)) add(line, name);
      }
    }
    return found;
  };
};

/** Returns the name by which `[[name]]` finds a file, in lower case. */
function getWikiName(path: string): string {
  return getName(path).replace(/\.md$/i, "").toLowerCase();
}

/** Returns the path that a link names, or null if it leads out of the memory. */
function resolveLink(from: string, target: string): string | null {
  const [written = ""] = target.split(/[#?]/);
  const decoded = decode(written).replaceAll("\\", "/");
  const start = decoded.startsWith("/") ? "" : getPathPrefix(getParent(from));
  const names: string[] = [];
  for (const name of splitPath(ROOT + start + decoded)) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return ROOT + names.join("/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
