import { below, directories, nameRest, type Part, sequence, text } from "./glob-parts.js";
import { normalizePath, ROOT, splitPath } from "./paths.js";

/** One character of a name, in however many UTF-16 units. */
const oneCharacter: Part = (path, starts) =>
  starts.flatMap((start) => {
    const character = String.fromCodePoint(path.codePointAt(start) ?? 0x2f);
    return character === "/" ? [] : [start + character.length];
  });

/**
 * Whether paths match a pattern: an absolute path in which `*` is any text within a name, `?` one character of a name,
 * and the name `**` any number of names. `/a/**` is `/a` and all below it. Takes time that grows with the path alone,
 * whatever the pattern.
 * @throws MemoryError EINVAL for what no pattern is
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

/** Some file systems take both spellings of a letter with an accent for one. */
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
