/** Does a task once for all callers. A failure is told to those who wait for it, and forgotten: the next caller tries again. */
export function once(task: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= task().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
