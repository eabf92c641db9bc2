import { open } from "./api.js";
import type { Query } from "./route.js";

/** A server that sends its first event only once more come, or a proxy that holds it back, is asked in another way. */
const firstEventMs = 10_000;
/** Twice as long as the server is ever silent. */
const silenceMs = 45_000;

/**
 * Follows the changes of a memory until the stream ends.
 *
 * @param tell called once what is shown may be old: when the stream begins, as something may have changed before, and
 * after each change
 * @returns whether it has begun. It never rejects
 */
export async function followChanges(query: Query, tell: () => void, signal: AbortSignal): Promise<boolean> {
  const end = new AbortController();
  const stop = (): void => end.abort();
  let silence = setTimeout(stop, firstEventMs);
  let hasBegun = false;
  try {
    const { body } = await open("changes", query, AbortSignal.any([signal, end.signal]));
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      const events = (text + piece.value).split("\n\n");
      text = events.pop() ?? "";
      if (!events.some((event) => event.startsWith("data:"))) continue;
      hasBegun = true;
      tell();
    }
  } catch {
    // Whoever follows asks in another way, which tells what is wrong.
  } finally {
    clearTimeout(silence);
    stop();
  }
  return hasBegun;
}
