/** The positions up to which a path may have been matched, ascending. */
export type Positions = readonly number[];

/** A part of a pattern. Returns all positions where the part may end, given all positions where it may begin. */
export type Part = (path: string, starts: Positions) => Positions;

export function sequence(parts: readonly Part[]): Part {
  return (path, starts) =>
    parts.reduce((positions, part) => (positions.length === 0 ? positions : part(path, positions)), starts);
}

export function text(literal: string): Part {
  return (path, starts) =>
    starts.filter((start) => path.startsWith(literal, start)).map((start) => start + literal.length);
}

/** Matches `*`: any text within a name. */
export const nameRest: Part = (path, starts) => {
  const ends: number[] = [];
  let end = -1;
  for (const start of starts) {
    // The ends from an earlier start in the same name include these.
    if (start <= end) continue;
    const slash = path.indexOf("/", start);
    end = slash === -1 ? path.length : slash;
    for (let position = start; position <= end; position += 1) ends.push(position);
  }
  return ends;
};

/** Matches `**` and a slash: any number of directories, or none. */
export const directories: Part = (path, starts) => {
  const [first = 0] = starts;
  return sortPositions([...starts, ...getPositions(path, first + 1).filter((position) => path[position - 1] === "/")]);
};

/** Matches a slash and `**` at the end of a pattern: the path before the slash, and everything below it. */
export const below: Part = (path, starts) =>
  starts.some((start) => start === path.length || path[start] === "/") ? [path.length] : [];

/** Returns all positions from `first` on. */
export function getPositions(path: string, first: number): number[] {
  return Array.from({ length: Math.max(0, path.length + 1 - first) }, (_, index) => first + index);
}

/** Sorts positions in ascending order, and removes duplicates. */
export function sortPositions(positions: readonly number[]): Positions {
  return positions.length < 2 ? positions : [...new Set(positions)].toSorted((a, b) => a - b);
}
