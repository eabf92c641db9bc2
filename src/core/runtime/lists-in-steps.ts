import type { Steps } from "./time-slices.js";

/** A step of this many elements takes about a millisecond, also if a hundred patterns test each element. */
const elementsPerStep = 100;

/** Maps a long list in short steps. */
export function* mapInSteps<T, Mapped>(list: Iterable<T>, map: (element: T, index: number) => Mapped): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const element of list) if (mapped.push(map(element, mapped.length)) % elementsPerStep === 0) yield;
  return mapped;
}

/** Filters a long list in short steps. */
export function* filterInSteps<T>(list: Iterable<T>, isWanted: (element: T) => boolean): Steps<T[]> {
  const wanted: T[] = [];
  let step = 0;
  for (const element of list) {
    step += 1;
    if (step % elementsPerStep === 0) yield;
    if (isWanted(element)) wanted.push(element);
  }
  return wanted;
}

/** Puts the elements of a long list into a set in short steps. */
export function* toSetInSteps<T>(list: Iterable<T>): Steps<Set<T>> {
  const set = new Set<T>();
  for (const element of list) if (set.add(element).size % elementsPerStep === 0) yield;
  return set;
}
