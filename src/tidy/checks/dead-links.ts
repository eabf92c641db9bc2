import { posix } from "node:path";
import { joinPoint } from "../../core/mounts/mount-table.js";
import { getName, getParent, getPathPrefix, ROOT, splitPath } from "../../core/values/paths.js";
import { shorten } from "../../core/values/text.js";
import type { FoundFault, TidyCheck } from "../finding.js";
import { encodeTarget, findLinks, type NoteLink, replaceSpans } from "../links.js";
import { proseLines } from "../note-lines.js";

/** Addresses outside the memory, and places in the same note. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i;

const maxShownChars = 100;

/** The remedy leads a link to the only file of the same name. If there is none, the words of the link stay. */
export const deadLinks: TidyCheck = ({ paths, files, point }) => {
  const isKnown = (path: string): boolean => path === ROOT || paths.has(path) || paths.has(`${path}.md`);
  let names: ReadonlyMap<string, string | null> | null = null;
  let fileNames: ReadonlyMap<string, string | null> | null = null;
  const isNamed = (name: string): boolean => (names ??= collectNames(paths)).has(getWikiName(ROOT + name));
  /** Returns the only file of a name in the same memory, null if there are several, and undefined if there is none. */
  const findNamed = (name: string): string | null | undefined =>
    (fileNames ??= collectNames(files)).get(getWikiName(ROOT + name));
  const isDead = (from: string, { kind, target }: NoteLink): boolean => {
    if (kind === "wiki") return !isNamed(target);
    const resolved = elsewhere.test(target) ? ROOT : resolveLink(from, target);
    // The memory of a mount names its own files without the mount point.
    return resolved === null || !(isKnown(resolved) || isKnown(joinPoint({ point }, resolved)));
  };
  const mend = (from: string, text: string): string =>
    replaceSpans(
      text,
      Array.from(findLinks(text))
        .filter((link) => isDead(from, link))
        .flatMap(({ kind, target, marks, targetSpan }) => {
          const [name = ""] = target.split(/[#?]/, 1);
          const moved = kind === "wiki" ? null : findNamed(getName(decode(name)));
          if (!moved || moved === from) return marks.map((span) => [span, ""] as const);
          return [
            [targetSpan, encodeTarget(posix.relative(getParent(from), moved)) + target.slice(name.length)] as const,
          ];
        }),
    );
  return function* examineFile(file) {
    const { path } = file;
    const found: FoundFault[] = [];
    const lines = new Set<number>();
    for (const { line, text } of proseLines(file)) {
      yield;
      for (const link of findLinks(text)) {
        yield;
        if (!isDead(path, link)) continue;
        const message = `a link to ${shorten(link.target, maxShownChars)}, which does not exist`;
        // One edit mends all dead links.
        const edit = (each: string, number: number): string => (lines.has(number) ? mend(path, each) : each);
        found.push({ kind: "deadLink", line, count: 1, message, remedy: "edit", ...(lines.size === 0 && { edit }) });
        lines.add(line);
      }
    }
    return found;
  };
};

function collectNames(paths: Iterable<string>): Map<string, string | null> {
  const names = new Map<string, string | null>();
  for (const path of paths) {
    const name = getWikiName(path);
    names.set(name, names.has(name) ? null : path);
  }
  return names;
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
