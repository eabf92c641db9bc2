import { getName, getParent, getPathPrefix, joinPaths, ROOT, splitPath } from "../../core/values/paths.js";
import { shorten } from "../../core/values/text.js";
import type { FoundFault, TidyCheck } from "../finding.js";
import { findLinks, type NoteLink } from "../links.js";
import { proseLines } from "../note-lines.js";

/** Addresses outside the memory, and places in the same note. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i;

const maxShownChars = 100;

export const deadLinks: TidyCheck = ({ paths, point }) => {
  const isKnown = (path: string): boolean => path === ROOT || paths.has(path) || paths.has(`${path}.md`);
  let names: ReadonlySet<string> | null = null;
  const isNamed = (name: string): boolean => (names ??= new Set([...paths].map(getWikiName))).has(getWikiName(name));
  const isDead = (from: string, { kind, target }: NoteLink): boolean => {
    if (kind === "wiki") return !isNamed(ROOT + target);
    const resolved = elsewhere.test(target) ? ROOT : resolveLink(from, target);
    // The memory of a mount names its own files without the mount point.
    return resolved === null || !(isKnown(resolved) || isKnown(joinPaths(point, resolved)));
  };
  return function* examineFile(file) {
    const found: FoundFault[] = [];
    for (const prose of proseLines(file)) {
      yield;
      if (prose === null) continue;
      const { line, text } = prose;
      for (const piece of cutLine(text)) {
        yield;
        for (const link of findLinks(piece)) {
          yield;
          if (!isDead(file.path, link)) continue;
          const message = `a link to ${shorten(link.target, maxShownChars)}, which does not exist`;
          found.push({ kind: "deadLink", line, count: 1, message });
        }
      }
    }
    return found;
  };
};

const maxPieceChars = 50_000;

/** Cuts a long line at blanks, so that each step is short. */
function* cutLine(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const last = start + maxPieceChars;
    const blank = text.length <= last ? text.length : text.lastIndexOf(" ", last);
    const end = blank > start ? blank : last;
    yield text.slice(start, end);
    start = end;
  }
}

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
