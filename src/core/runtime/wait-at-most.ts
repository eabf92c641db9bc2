/**
 * Waits until a promise settles, but no longer than the limit. Rejects if the promise rejects in time. Ignores later
 * results.
 */
export async function waitAtMost(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
