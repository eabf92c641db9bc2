import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { MemoryChanges } from "../../core/watch/memory-changes.js";
import { Signal } from "../../core/watch/signal.js";

/** Timing of a stream of changes, in ms. */
export interface EventTimes {
  /**
   * Interval of heartbeats. Each says that the database answers, so the browser notices within seconds when the database
   * or this process does not. They also show a proxy that the connection is alive.
   */
  heartbeatMs: number;
  /**
   * Time between two events. After each event a browser requests the shown data again, and an agent may write a hundred
   * times in a second.
   */
  spacingMs: number;
  /** Longest duration of a stream. The browser then connects again, so that `authorize` decides again. */
  lifetimeMs: number;
}

export const eventTimes: EventTimes = { heartbeatMs: 1500, spacingMs: 1000, lifetimeMs: 300_000 };

/**
 * Sends server-sent events: `ready` at once, `changed` after each change, and `unreachable` in place of a heartbeat while
 * the database does not answer. The events contain no more, because the browser requests the data that it shows. A slow
 * or recently notified browser gets one event for all changes since.
 *
 * @param changes must be ready
 * @param isReachable whether the database answers. It must not reject
 * @param ended called once, when the changes are no longer watched
 */
export function sendChanges(
  http: Context,
  changes: MemoryChanges,
  isReachable: () => Promise<boolean>,
  ended: () => void,
  { heartbeatMs, spacingMs, lifetimeMs }: EventTimes = eventTimes,
): Response {
  const over = new AbortController();
  const pending = new Signal();
  const end = (): void => over.abort();
  const response = streamSSE(http, async (stream) => {
    // The timers are unreferenced, so that a stream alone does not keep the process alive.
    const beat = async (): Promise<void> => {
      const text = (await isReachable()) ? ":\n\n" : "data: unreachable\n\n";
      if (!over.signal.aborted) await stream.write(text);
    };
    const heartbeat = setInterval(() => void beat(), heartbeatMs).unref();
    const lifetime = setTimeout(end, lifetimeMs).unref();
    over.signal.addEventListener("abort", () => {
      clearInterval(heartbeat);
      clearTimeout(lifetime);
      pending.notify();
      // Nobody is left who could receive an error.
      changes.return().catch(() => undefined);
      ended();
    });
    stream.onAbort(end);
    void notifyOfEach(changes, pending).finally(end);
    await stream.writeSSE({ data: "ready" });
    for (;;) {
      await pending.wait();
      if (over.signal.aborted) return;
      await stream.writeSSE({ data: "changed" });
      await sleep(spacingMs, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
    }
  });
  // Otherwise a proxy would delay events, to compress them or to fill a buffer.
  response.headers.set("Cache-Control", "no-store, no-transform");
  response.headers.set("X-Accel-Buffering", "no");
  return response;
}

/** Ends without an error. The browser connects again and then gets the error. */
async function notifyOfEach(changes: MemoryChanges, pending: Signal): Promise<void> {
  try {
    for await (const _change of changes) pending.notify();
  } catch {
    // The browser gets the error from its next request.
  }
}
