import { invalid } from "../core/values/errors.js";
import { maxPathChars } from "../core/values/paths.js";
import { below, directories, nameRest, type Part, sequence, text } from "../core/values/glob-parts.js";
import { either, everything, oneUnit } from "./glob-parts.js";

/**
 * Compiles a glob: `*`, `**`, `?`, `[…]`, `{…}`, and a leading `!`. It means the same as in deepagents' own backends,
 * which treat names that begin with a dot like other names. These backends make a regular expression of the glob, which
 * tries one way after another, and some expressions take hours for one name. This matcher follows all ways through a
 * pattern at once.
 * @throws MemoryError EINVAL
 */
export function compileGlob(given: string): (path: string) => boolean {
  if (given === "") throw invalid("invalid glob pattern: it is empty");
  if (given.length > maxPathChars) throw invalid(`invalid glob pattern: longer than ${maxPathChars} characters`);
  const marks = /^(?:!(?!\())*/.exec(given)?.[0].length ?? 0;
  const whole = compilePart(given.slice(marks).replace(/^\.\//, ""), true);
  return (path) => path === given || (whole(path, [0]).at(-1) === path.length) === (marks % 2 === 0);
}

/** @param startsName whether the pattern begins at the start of a name */
function compilePart(pattern: string, startsName: boolean): Part {
  const parts: Part[] = [];
  let plain = "";
  for (let at = 0; at < pattern.length;) {
    const special = parseSpecial(pattern, at, at === 0 ? startsName : pattern[at - 1] === "/");
    if (special === null) {
      if (pattern[at] === "\\" && at + 1 < pattern.length) at += 1;
      plain += pattern.charAt(at);
      at += 1;
    } else {
      if (plain !== "") parts.push(text(plain));
      plain = "";
      parts.push(special.part);
      at = special.end;
    }
  }
  return sequence(plain === "" ? parts : [...parts, text(plain)]);
}

interface Special {
  part: Part;
  /** The position at which the rest of the pattern begins. */
  end: number;
}

/** Parses the part that begins at a position of a pattern. Returns null for plain text. */
function parseSpecial(pattern: string, at: number, startsName: boolean): Special | null {
  const sign = pattern.charAt(at);
  if (/^[@?*+!]\($/.test(pattern.slice(at, at + 2)))
    throw invalid(`invalid glob pattern: groups such as ${sign}(…) are not supported; write {a,b} for either of two`);
  if (sign === "?") return { part: oneUnit(() => true), end: at + 1 };
  if (sign === "*") return parseStars(pattern, at, startsName);
  if (sign === "/" && /^[^*]$/.test(pattern.charAt(at - 1)) && /^(?:\/\*\*)+$/.test(pattern.slice(at)))
    return { part: below, end: pattern.length };
  if (sign === "[") return parseClass(pattern, at);
  return sign === "{" ? parseBraces(pattern, at, startsName) : null;
}

/** Two stars differ from one only if they replace whole names, and in patterns such as `**.md`. */
function parseStars(pattern: string, at: number, startsName: boolean): Special {
  const count = /^\*+(?!\()/.exec(pattern.slice(at))?.[0].length ?? 1;
  const end = at + count;
  if (!startsName || count !== 2) return { part: nameRest, end };
  if (pattern[end] === "/") return { part: directories, end: end + 1 };
  const isWhole = end === pattern.length || /^\.\w+$/.test(pattern.slice(end));
  return { part: isWhole ? everything : nameRest, end };
}

/** Parses `{a,b}` and `{a..c}`. Braces around anything else, or without an end, are plain text. */
function parseBraces(pattern: string, at: number, startsName: boolean): Special | null {
  const end = findBraceEnd(pattern, at);
  if (end === null) return null;
  const inside = pattern.slice(at + 1, end - 1);
  const range = /^(.)\.\.(.)$/s.exec(inside);
  if (range !== null) return { part: oneUnit(compileClass(`${range[1]}-${range[2]}`)), end };
  const choices = splitChoices(inside);
  return choices.length > 1 ? { part: either(choices.map((choice) => compilePart(choice, startsName))), end } : null;
}

/** Returns the position after the brace that closes the one at `at`, or null if none does. */
function findBraceEnd(pattern: string, at: number): number | null {
  let depth = 0;
  for (let next = at; next < pattern.length; next += 1) {
    if (pattern[next] === "\\") next += 1;
    else if (pattern[next] === "{") depth += 1;
    else if (pattern[next] === "}") depth -= 1;
    if (depth === 0) return next + 1;
  }
  return null;
}

/** Splits at the commas that are outside inner braces. */
function splitChoices(inside: string): string[] {
  const choices: string[] = [];
  let start = 0;
  for (let at = 0; at < inside.length; at += 1) {
    if (inside[at] === "\\") at += 1;
    else if (inside[at] === "{") at = (findBraceEnd(inside, at) ?? at + 1) - 1;
    else if (inside[at] === ",") {
      choices.push(inside.slice(start, at));
      start = at + 1;
    }
  }
  return [...choices, inside.slice(start)];
}

function parseClass(pattern: string, at: number): Special | null {
  const found = /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/s.exec(pattern.slice(at));
  if (found === null) return null;
  const [whole, mark, inside = ""] = found;
  const isIn = compileClass(inside);
  const part = oneUnit(mark === "" ? isIn : (unit) => !isIn(unit));
  // The class also matches its own text, because a file may have the name "[draft]".
  const isName = mark === "" && /^[^-*+?.$(){}|[\]\\]+$/.test(inside);
  return { part: isName ? either([part, text(whole)]) : part, end: at + whole.length };
}

/** Compiles a class to a test. A class with a range from a later to an earlier character matches nothing. */
function compileClass(inside: string): (unit: string) => boolean {
  const source = inside.replaceAll(
    /\\(.)|[[\]^\\]/gs,
    (found, escaped: string = found) => `\\u${escaped.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  try {
    const expression = new RegExp(`^[${source}]$`);
    return (unit) => expression.test(unit);
  } catch {
    return () => false;
  }
}
