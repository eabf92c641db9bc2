/** The answer of a call, or the code of its refusal. */
export type Outcome = { value: unknown } | { code: string };

export function outcomeOf(run: () => unknown): Outcome {
  try {
    return { value: run() ?? null };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    return { code };
  }
}
