import { Mutex } from "async-mutex";
import { type CallContext, whenTurnIsOver } from "./call.js";

/** One queue of tasks for each key, inside this process. Empty queues are removed. */
export class KeyedMutex {
  readonly #mutexes = new Map<string, Mutex>();

  /**
   * Runs a task after those before it have ended.
   * @param call the call that runs the task. The queue waits for the task no longer than the call does
   */
  async run<T>(key: string, task: () => Promise<T>, call?: CallContext): Promise<T> {
    const mutex = this.#mutexes.get(key) ?? new Mutex();
    this.#mutexes.set(key, mutex);
    const release = await mutex.acquire();
    const leave = (): void => {
      release();
      if (!mutex.isLocked() && this.#mutexes.get(key) === mutex) this.#mutexes.delete(key);
    };
    if (call?.aborted === true) {
      leave();
      throw call.reason;
    }
    const running = task();
    const stopWatching = call && whenTurnIsOver(call, leave);
    try {
      return await running;
    } finally {
      stopWatching?.();
      leave();
    }
  }
}
