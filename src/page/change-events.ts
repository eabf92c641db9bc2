import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { MemoryChanges } from "../core/watch/memory-changes.js";
import { Signal } from "../core/watch/signal.js";

/** How a stream of changes behaves in time, in ms. */
export interface EventTimes {
  /**
   * Something is sent this often, so that a browser notices a connection that is dead, and a proxy sees one that is
   * not.
   */
  heartbeatMs: number;
  /**
   * Between two events. A browser asks for what is shown after each, and an agent may write a hundred times in a
   * second.
   */
  spacingMs: number;
  /** The browser then asks anew, and whoever decides about requests decides again. */
  lifetimeMs: number;
}

export const eventTimes: EventTimes = { heartbeatMs: 20_000, spacingMs: 1000, lifetimeMs: 300_000 };

/**
 * Server-sent events: `ready` at once, then `changed` after each change. They say no more, because the browser asks for
 * what it shows. A slow or recently notified browser gets one event for all changes since.
 *
 * @param changes which are ready
 * @param ended called once, when nothing is watched any more
 */
export function sendChanges(
  http: Context,
  changes: MemoryChanges,
  ended: () => void,
  { heartbeatMs, spacingMs, lifetimeMs }: EventTimes = eventTimes,
): Response {
  const over = new AbortController();
  const pending = new Signal();
  const end = (): void => over.abort();
  const response = streamSSE(http, async (stream) => {
    // No stream keeps a process alive that has nothing else to do.
    const heartbeat = setInterval(() => void stream.write(":\n\n"), heartbeatMs).unref();
    const lifetime = setTimeout(end, lifetimeMs).unref();
    over.signal.addEventListener("abort", () => {
      clearInterval(heartbeat);
      clearTimeout(lifetime);
      pending.notify();
      // Nobody is left to report an error to.
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
  // A proxy would hold events back, to compress them or to fill a buffer.
  response.headers.set("Cache-Control", "no-store, no-transform");
  response.headers.set("X-Accel-Buffering", "no");
  return response;
}

/** Ends without an error: the browser asks anew, and is then told what is wrong. */
async function notifyOfEach(changes: MemoryChanges, pending: Signal): Promise<void> {
  try {
    for await (const _change of changes) pending.notify();
  } catch {
    // As above.
  }
}
