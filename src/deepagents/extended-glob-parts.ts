import { getPositions, nameRest, type Part, type Positions, sortPositions } from "../core/values/glob-parts.js";

export function either(parts: readonly Part[]): Part {
  return (path, starts) => sortPositions(parts.flatMap((part) => part(path, starts)));
}

export function optional(part: Part): Part {
  return (path, starts) => sortPositions([...starts, ...part(path, starts)]);
}

/** One UTF-16 unit of a name. */
export function oneUnit(isMatch: (unit: string) => boolean): Part {
  const isUnit = (unit: string): boolean => unit !== "" && unit !== "/" && isMatch(unit);
  return (path, starts) => starts.filter((start) => isUnit(path.charAt(start))).map((start) => start + 1);
}

/** `**`: any text. */
export const everything: Part = (path, [first = 0]) => getPositions(path, first);

/** One or more of these texts. */
export function repeated(texts: readonly string[]): Part {
  return (path, starts) => {
    const isStart = new Uint8Array(path.length + 1);
    const isEnd = new Uint8Array(path.length + 1);
    for (const start of starts) isStart[start] = 1;
    for (let position = 0; position <= path.length; position += 1) {
      if (isStart[position] === 0 && isEnd[position] === 0) continue;
      for (const each of texts) if (path.startsWith(each, position)) isEnd[position + each.length] = 1;
    }
    return getPositions(path, 0).filter((position) => isEnd[position] === 1);
  };
}

/** Any text within a name except those that the part matches. */
export function not(part: Part): Part {
  const getEnds = (path: string, start: number): Positions => {
    const excluded = new Set(part(path, [start]));
    return nameRest(path, [start]).filter((end) => !excluded.has(end));
  };
  return (path, starts) => sortPositions(starts.flatMap((start) => getEnds(path, start)));
}
