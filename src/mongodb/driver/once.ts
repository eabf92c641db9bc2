/**
 * Does a task once for all callers. A failure is told to those who wait for it, and forgotten: the next caller tries again.
 * Answers nothing when the task is done, because every turn of a small call counts.
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
