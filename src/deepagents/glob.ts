import { invalid } from "../core/values/errors.js";
import { maxPathChars } from "../core/values/paths.js";
import { below, directories, nameRest, type Part, sequence, text } from "../core/values/glob-parts.js";
import { either, everything, not, oneUnit, optional, repeated } from "./extended-glob-parts.js";

/**
 * Whether paths match a glob: `*`, `**`, `?`, `[…]`, `{…}`, `(…|…)`, `@(…)`, `?(…)`, `*(…)`, `+(…)`, `!(…)` and a `!`
 * before all of it. It means what it does in deepagents' own backends, for which names that begin with a dot are as
 * others. But these make a regular expression of it, which tries one way after another, and some take hours for one
 * name; here all ways through a pattern are followed at once.
 * @throws MemoryError EINVAL
 */
export function compileGlob(given: string): (path: string) => boolean {
  if (given === "") throw invalid("invalid glob pattern: it is empty");
  if (given.length > maxPathChars) throw invalid(`invalid glob pattern: longer than ${maxPathChars} characters`);
  const marks = /^(?:!(?!\())*/.exec(given)?.[0].length ?? 0;
  const whole = partsOf(given.slice(marks).replace(/^\.\//, ""), true);
  return (path) => path === given || (whole(path, [0]).at(-1) === path.length) === (marks % 2 === 0);
}

/** @param startsName whether the pattern stands at the start of a name */
function partsOf(pattern: string, startsName: boolean): Part {
  const parts: Part[] = [];
  let plain = "";
  for (let at = 0; at < pattern.length;) {
    const found = special(pattern, at, at === 0 ? startsName : pattern[at - 1] === "/");
    if (found === null) {
      if (pattern[at] === "\\" && at + 1 < pattern.length) at += 1;
      plain += pattern.charAt(at);
      at += 1;
    } else {
      if (plain !== "") parts.push(text(plain));
      plain = "";
      parts.push(found.part);
      at = found.end;
    }
  }
  return sequence(plain === "" ? parts : [...parts, text(plain)]);
}

interface Found {
  part: Part;
  /** Where the pattern goes on. */
  end: number;
}

/** What stands at a place of a pattern, and is no plain text. */
function special(pattern: string, at: number, startsName: boolean): Found | null {
  const sign = pattern.charAt(at);
  if (pattern[at + 1] === "(" && /[@?*+!]/.test(sign)) {
    const group = groupAt(pattern, at + 1);
    if (group !== null) return { part: extended(sign, group.inside, startsName), end: group.end };
  }
  if (sign === "?") return { part: oneUnit(() => true), end: at + 1 };
  if (sign === "*") return stars(pattern, at, startsName);
  if (sign === "/" && /^[^*]$/.test(pattern.charAt(at - 1)) && /^(?:\/\*\*)+$/.test(pattern.slice(at))) {
    return { part: below, end: pattern.length };
  }
  if (sign === "[") return characterClass(pattern, at);
  if (sign !== "(" && sign !== "{") return null;
  const group = groupAt(pattern, at);
  if (group === null) return null;
  if (sign === "(") return { part: alternatives(group.inside, "|", startsName), end: group.end };
  const range = /^(.)\.\.(.)$/s.exec(group.inside);
  if (range !== null) return { part: oneUnit(isInClass(`${range[1]}-${range[2]}`)), end: group.end };
  const isList = splitOutside(group.inside, ",").length > 1;
  return isList ? { part: alternatives(group.inside, ",", startsName), end: group.end } : null;
}

/** Two stars are more than one only where they stand for whole names, and in such as `**.md`. */
function stars(pattern: string, at: number, startsName: boolean): Found {
  const count = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 1;
  // The last one may begin a group.
  const end = at + count - (pattern[at + count] === "(" && count > 1 ? 1 : 0);
  if (!startsName || end - at !== 2) return { part: nameRest, end };
  if (pattern[end] === "/") return { part: directories, end: end + 1 };
  const isWhole = end === pattern.length || /^\.\w+$/.test(pattern.slice(end));
  return { part: isWhole ? everything : nameRest, end };
}

function alternatives(inside: string, separator: "|" | ",", startsName: boolean): Part {
  return either(splitOutside(inside, separator).map((each) => partsOf(each, startsName)));
}

/** What a group may not hold where it is matched from more than one place. */
const notPlain = /[*+?!@([{\\]/;

/** @throws MemoryError EINVAL for what would be matched from every place to every other */
function extended(sign: string, inside: string, startsName: boolean): Part {
  if (sign === "@") return alternatives(inside, "|", startsName);
  if (sign === "?") return optional(alternatives(inside, "|", startsName));
  if (sign === "!") {
    if (!inside.includes("!(") && (startsName || !notPlain.test(inside)))
      return not(alternatives(inside, "|", startsName));
    throw invalid("invalid glob pattern: an excluded group may hold plain text only, but for the start of a name");
  }
  if (notPlain.test(inside)) throw invalid("invalid glob pattern: a repeated group may hold plain text only");
  return sign === "*" ? optional(repeated(inside.split("|"))) : repeated(inside.split("|"));
}

const closings: Record<string, string> = { "(": ")", "{": "}" };

/** The group whose bracket opens at a place; null where it is not closed, which makes the bracket plain text. */
function groupAt(pattern: string, at: number): { inside: string; end: number } | null {
  const [opening, closing] = [pattern.charAt(at), closings[pattern.charAt(at)]];
  let depth = 0;
  for (let next = at; next < pattern.length; next += 1) {
    if (pattern[next] === "\\") next += 1;
    else if (pattern[next] === opening) depth += 1;
    else if (pattern[next] === closing) depth -= 1;
    if (depth === 0) return { inside: pattern.slice(at + 1, next), end: next + 1 };
  }
  return null;
}

/** Split at the separators that are in no group. */
function splitOutside(inside: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < inside.length; at += 1) {
    if (inside[at] === "\\") at += 1;
    else if (inside[at] === "(" || inside[at] === "{") at = (groupAt(inside, at)?.end ?? at + 1) - 1;
    else if (inside[at] === separator) {
      parts.push(inside.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, inside.slice(start)];
}

const posixClasses: Record<string, string> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  ascii: "\\x00-\\x7F",
  blank: " \\t",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "\\x21-\\x7E",
  lower: "a-z",
  print: "\\x20-\\x7E",
  punct: "!-\\/:-@\\x5B-`{-~",
  space: " \\t\\r\\n\\v\\f",
  upper: "A-Z",
  word: "A-Za-z0-9_",
  xdigit: "A-Fa-f0-9",
};

function characterClass(pattern: string, at: number): Found | null {
  const found = /^\[([!^]?)((?:\]|(?!\]))(?:\[:\w+:\]|\\.|[^\]\\])*)\]/s.exec(pattern.slice(at));
  if (found === null) return null;
  const [whole, mark, inside = ""] = found;
  const isIn = isInClass(inside);
  const part = oneUnit(mark === "" ? isIn : (unit) => !isIn(unit));
  // A file may be called "[draft]", and who asks for it means that.
  const isName = mark === "" && /^[^-*+?.$(){}|[\]\\]+$/.test(inside);
  return { part: isName ? either([part, text(whole)]) : part, end: at + whole.length };
}

/** Of single characters, and so of any time that a character takes. A range from behind to before holds none. */
function isInClass(inside: string): (unit: string) => boolean {
  const source = inside.replaceAll(/\[:(\w+):\]|\\(.)|[[\]^\\]/gs, (found, name?: string, escaped?: string) => {
    if (name !== undefined) return posixClasses[name] ?? "";
    return `\\u${(escaped ?? found).charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  try {
    const expression = new RegExp(`^[${source}]$`);
    return (unit) => expression.test(unit);
  } catch {
    return () => false;
  }
}
