import { getPositions, type Part, sortPositions } from "../core/values/glob-parts.js";

export function either(parts: readonly Part[]): Part {
  return (path, starts) => sortPositions(parts.flatMap((part) => part(path, starts)));
}

/** Matches one UTF-16 unit of a name. */
export function oneUnit(isMatch: (unit: string) => boolean): Part {
  const isUnit = (unit: string): boolean => unit !== "" && unit !== "/" && isMatch(unit);
  return (path, starts) => starts.filter((start) => isUnit(path.charAt(start))).map((start) => start + 1);
}

/** Matches `**`: any text. */
export const everything: Part = (path, [first = 0]) => getPositions(path, first);
