import { runInTimeSlices, type Steps, type Waiting } from "./time-slices.js";

/** A list of this length is sorted, and as many elements are merged, in a few milliseconds. */
const stepLength = 5000;

/** Sorts a long list in time slices. The sort is stable. @throws the reason, if nobody waits for it any more */
export async function sortInTimeSlices<T>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
  waiting: Waiting | null,
): Promise<T[]> {
  return list.length <= stepLength ? list.toSorted(compare) : runInTimeSlices(mergeSort(list, compare), waiting);
}

/** Sorts a list in steps: first pieces of it, then it merges neighbours until one is left. The sort is stable. */
export function* mergeSort<T>(list: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let pieces: T[][] = [];
  for (let start = 0; start < list.length; start += stepLength) {
    pieces.push(list.slice(start, start + stepLength).toSorted(compare));
    yield;
  }
  while (pieces.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < pieces.length; index += 2)
      merged.push(yield* merge(pieces[index] ?? [], pieces[index + 1] ?? [], compare));
    pieces = merged;
  }
  return pieces[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (;;) {
    const [first, second] = [left[fromLeft], right[fromRight]];
    if (first === undefined || second === undefined) return merged.concat(left.slice(fromLeft), right.slice(fromRight));
    if (compare(first, second) <= 0) {
      merged.push(first);
      fromLeft += 1;
    } else {
      merged.push(second);
      fromRight += 1;
    }
    if (merged.length % stepLength === 0) yield;
  }
}
