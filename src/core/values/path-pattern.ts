import { below, directories, nameRest, type Part, sequence, text } from "./glob-parts.js";
import { normalizePath, ROOT, splitPath } from "./paths.js";

/** Matches one character of a name, of one or two UTF-16 units. */
const oneCharacter: Part = (path, starts) =>
  starts.flatMap((start) => {
    const character = String.fromCodePoint(path.codePointAt(start) ?? 0x2f);
    return character === "/" ? [] : [start + character.length];
  });

/**
 * Returns a function that checks whether a path matches a pattern: an absolute path in which `*` is any text within a
 * name, `?` one character of a name, and the name `**` any number of names. `/a/**` is `/a` and everything below it.
 * For any pattern, the time grows only with the path.
 * @throws MemoryError EINVAL for an invalid pattern
 */
export function compilePathPattern(pattern: string): (path: string) => boolean {
  const names = splitPath(inOneSpelling(normalizePath(pattern)));
  const parts = names.flatMap((name, index): Part[] => {
    const isLast = index === names.length - 1;
    if (name !== "**") return [...(names[index - 1] === "**" ? [] : [text("/")]), ...partsOfName(name)];
    if (names[index + 1] === "**") return [];
    return isLast ? [below] : [text("/"), directories];
  });
  const whole = sequence(parts);
  return (path) => {
    const spelled = path === ROOT ? "" : inOneSpelling(path);
    return whole(spelled, [0]).at(-1) === spelled.length;
  };
}

/** Returns a function that checks whether a path matches one of the patterns. */
export function compilePathPatterns(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map(compilePathPattern);
  return (path) => matchers.some((matches) => matches(path));
}

/** Normalises to NFC, because some file systems treat both spellings of an accented letter as the same name. */
function inOneSpelling(path: string): string {
  return path.normalize("NFC");
}

function partsOfName(name: string): Part[] {
  return name
    .split(/([*?])/)
    .filter(Boolean)
    .map((piece) => {
      if (piece === "*") return nameRest;
      return piece === "?" ? oneCharacter : text(piece);
    });
}
