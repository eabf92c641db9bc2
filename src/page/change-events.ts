import type { MemoryChanges } from "../core/watch/memory-changes.js";

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
 * what it shows.
 *
 * @param changes which are ready
 * @param ended called once, when nothing is watched any more
 */
export function changeEvents(
  changes: MemoryChanges,
  ended: () => void,
  times: EventTimes = eventTimes,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new ChangeEvents(changes, ended, times));
}

const encoder = new TextEncoder();
const ready = encoder.encode("data: ready\n\n");
const changed = encoder.encode("data: changed\n\n");
const heartbeat = encoder.encode(":\n\n");

class ChangeEvents {
  readonly #changes: MemoryChanges;
  readonly #ended: () => void;
  readonly #times: EventTimes;
  readonly #timers: NodeJS.Timeout[] = [];
  /** Runs for a while after an event. */
  #spacing: NodeJS.Timeout | undefined;
  /** Something has changed that was not told yet. */
  #isOwed = false;
  #isOver = false;

  constructor(changes: MemoryChanges, ended: () => void, times: EventTimes) {
    this.#changes = changes;
    this.#ended = ended;
    this.#times = times;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(ready);
    const { heartbeatMs, lifetimeMs } = this.#times;
    const beat = (): void => {
      if (hasRoom(controller)) controller.enqueue(heartbeat);
    };
    // No stream keeps a process alive that has nothing else to do.
    this.#timers.push(
      setInterval(beat, heartbeatMs).unref(),
      setTimeout(() => this.#close(controller), lifetimeMs).unref(),
    );
    void this.#tellAll(controller);
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#tellOwed(controller);
  }

  /** The browser has gone. */
  cancel(): void {
    this.#end();
  }

  async #tellAll(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for await (const _change of this.#changes) {
        this.#isOwed = true;
        this.#tellOwed(controller);
      }
    } catch {
      // The browser asks anew, and is then told what is wrong.
    }
    this.#close(controller);
  }

  /** Whoever does not read, or has just been told, is told once for all that has happened since. */
  #tellOwed(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#isOver || !this.#isOwed || this.#spacing !== undefined || !hasRoom(controller)) return;
    this.#isOwed = false;
    controller.enqueue(changed);
    const after = (): void => {
      this.#spacing = undefined;
      this.#tellOwed(controller);
    };
    this.#spacing = setTimeout(after, this.#times.spacingMs).unref();
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#isOver) return;
    this.#end();
    controller.close();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of [...this.#timers, this.#spacing]) clearTimeout(timer);
    // It has nothing to say any more, not even that it failed.
    this.#changes.return().catch(() => undefined);
    this.#ended();
  }
}

function hasRoom({ desiredSize }: ReadableStreamDefaultController<Uint8Array>): boolean {
  return (desiredSize ?? 0) > 0;
}
