/** Where a path may have been read to, in rising order. */
export type Places = readonly number[];

/** A part of a pattern: where it ends, of all places where it may begin. */
export type Part = (path: string, starts: Places) => Places;

export function sequence(parts: readonly Part[]): Part {
  return (path, starts) => parts.reduce((places, part) => (places.length === 0 ? places : part(path, places)), starts);
}

export function anyOf(parts: readonly Part[]): Part {
  return (path, starts) => rising(parts.flatMap((part) => part(path, starts)));
}

export function text(wanted: string): Part {
  return (path, starts) =>
    starts.filter((start) => path.startsWith(wanted, start)).map((start) => start + wanted.length);
}

/** One UTF-16 unit of a name. */
export function oneUnit(isWanted: (unit: string) => boolean): Part {
  const isUnit = (unit: string): boolean => unit !== "" && unit !== "/" && isWanted(unit);
  return (path, starts) => starts.filter((start) => isUnit(path.charAt(start))).map((start) => start + 1);
}

/** `*`: any text within a name. */
export const nameRest: Part = (path, starts) => {
  const ends: number[] = [];
  let end = -1;
  for (const start of starts) {
    // The names of those before end behind it.
    if (start <= end) continue;
    end = nameEnd(path, start);
    for (let place = start; place <= end; place += 1) ends.push(place);
  }
  return ends;
};

/** `**`: any text at all. */
export const everything: Part = (path, [first = 0]) => placesFrom(path, first);

/** `**` and a slash: any number of directories, none too. */
export const directories: Part = (path, starts) => {
  const [first = 0] = starts;
  return rising([...starts, ...placesFrom(path, first + 1).filter((place) => path[place - 1] === "/")]);
};

/** A slash and `**` at the end: what is before it, and all that is below. */
export const below: Part = (path, starts) =>
  starts.some((start) => start === path.length || path[start] === "/") ? [path.length] : [];

function nameEnd(path: string, start: number): number {
  const slash = path.indexOf("/", start);
  return slash === -1 ? path.length : slash;
}

function placesFrom(path: string, first: number): number[] {
  return Array.from({ length: Math.max(0, path.length + 1 - first) }, (_, index) => first + index);
}

function rising(places: readonly number[]): Places {
  return places.length < 2 ? places : [...new Set(places)].toSorted((one, other) => one - other);
}
