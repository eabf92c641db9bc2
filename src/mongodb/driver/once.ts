/**
 * Does a task once for all callers. If it fails, the waiting callers get the error, and the next caller tries again.
 * After the task is done, returns undefined instead of a promise, because every turn of the event loop counts in a
 * small call.
 */
export function once(task: () => Promise<void>): () => Promise<void> | undefined {
  let isDone = false;
  let running: Promise<void> | undefined;
  const finish = (): void => {
    isDone = true;
  };
  const forget = (error: unknown): void => {
    running = undefined;
    throw error;
  };
  return () => (isDone ? undefined : (running ??= task().then(finish, forget)));
}
