import { Mutex } from "async-mutex";

/** One queue of tasks for each key, inside this process. Empty queues are removed. */
export class KeyedMutex {
  readonly #mutexes = new Map<string, Mutex>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const mutex = this.#mutexes.get(key) ?? new Mutex();
    this.#mutexes.set(key, mutex);
    try {
      return await mutex.runExclusive(task);
    } finally {
      if (!mutex.isLocked()) this.#mutexes.delete(key);
    }
  }
}
