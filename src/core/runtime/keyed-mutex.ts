import { Mutex } from "async-mutex";
import { MemoryError } from "../values/errors.js";
import type { CallContext } from "./call.js";

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
    let timer: NodeJS.Timeout | undefined;
    // If the time is up, the storage hangs. If a signal has ended the call, its last step is probably under way, and
    // must not overtake the next task.
    call?.onAbort(() => {
      if (MemoryError.isInstance(call.reason)) leave();
      else if (call.timeoutMs !== Infinity) timer = setTimeout(leave, call.timeoutMs).unref();
    });
    try {
      return await running;
    } finally {
      clearTimeout(timer);
      leave();
    }
  }
}
