/** Where a path may have been matched up to, ascending. */
export type Positions = readonly number[];

/** A part of a pattern: returns where it may end, for all positions where it may begin. */
export type Part = (path: string, starts: Positions) => Positions;

export function sequence(parts: readonly Part[]): Part {
  return (path, starts) =>
    parts.reduce((positions, part) => (positions.length === 0 ? positions : part(path, positions)), starts);
}

export function text(literal: string): Part {
  return (path, starts) =>
    starts.filter((start) => path.startsWith(literal, start)).map((start) => start + literal.length);
}

/** `*`: any text within a name. */
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

/** `**` and a slash: any number of directories, also none. */
export const directories: Part = (path, starts) => {
  const [first = 0] = starts;
  return sortPositions([...starts, ...getPositions(path, first + 1).filter((position) => path[position - 1] === "/")]);
};

/** A slash and `**` at the end: what is before it, and everything below. */
export const below: Part = (path, starts) =>
  starts.some((start) => start === path.length || path[start] === "/") ? [path.length] : [];

/** All positions from `first` on. */
export function getPositions(path: string, first: number): number[] {
  return Array.from({ length: Math.max(0, path.length + 1 - first) }, (_, index) => first + index);
}

/** Ascending, each once. */
export function sortPositions(positions: readonly number[]): Positions {
  return positions.length < 2 ? positions : [...new Set(positions)].toSorted((a, b) => a - b);
}
