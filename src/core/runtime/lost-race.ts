import { MemoryError } from "../values/errors.js";

/** How often a change is tried that others keep getting ahead of. */
export const maxAttempts = 100;

export function lostRace(): MemoryError {
  return new MemoryError("ECONFLICT", `ECONFLICT: the change lost its race ${maxAttempts} times; nothing was changed`);
}

/** Grows and varies, so that racing processes stop meeting. */
export async function pause(attempt: number): Promise<void> {
  const delayMs = Math.random() * Math.min(2 ** attempt, 64);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
