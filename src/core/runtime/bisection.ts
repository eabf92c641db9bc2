/** Counts the values at the start of a sorted list for which a test holds, by bisection. */
export function countStart<Value>(sorted: readonly Value[], isBefore: (value: Value) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const value = sorted[middle];
    if (value !== undefined && isBefore(value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
