import { MemoryError } from "../values/errors.js";

/** The most attempts of a change while other changes come first. */
export const maxAttempts = 100;

export function lostRace(): MemoryError {
  return new MemoryError("ECONFLICT", `ECONFLICT: the change lost its race ${maxAttempts} times; nothing was changed`);
}

/** Attempts something until an attempt returns a value. @throws MemoryError ECONFLICT, and what an attempt throws */
export async function retryLostRace<T>(makeAttempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const result = await makeAttempt();
    if (result !== undefined) return result;
    await pause(attempt);
  }
  throw lostRace();
}

/** Waits before the next attempt. The random, growing delay keeps racing processes apart. */
export async function pause(attempt: number): Promise<void> {
  const delayMs = Math.random() * Math.min(2 ** attempt, 64);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
