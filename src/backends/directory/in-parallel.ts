/** Limits the open files, so that a memory of thousands of files does not use up the handles of the process. */
const maxParallel = 32;

/**
 * Runs a task on each item, a few at once. The outcomes are in the order of the items. When a failure is reported, no
 * task is still running.
 */
export async function inParallel<T, U>(items: readonly T[], task: (item: T) => Promise<U>): Promise<U[]> {
  const outcomes: U[] = [];
  for (let start = 0; start < items.length; start += maxParallel) {
    const settled = await Promise.allSettled(items.slice(start, start + maxParallel).map(task));
    for (const outcome of settled) {
      if (outcome.status === "rejected") throw outcome.reason;
      outcomes.push(outcome.value);
    }
  }
  return outcomes;
}
