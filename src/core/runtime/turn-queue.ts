import { type CallContext, whenTurnIsOver } from "./call.js";
import { yieldToEventLoop } from "./time-slices.js";

/** A task that can be done together with its neighbours in the queue. */
export interface JointTask<Item, Result> {
  item: Item;
  call: CallContext;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface TurnQueueSettings<Item, Result> {
  /** The most tasks that are done together. */
  mostTasks: number;
  /** The most that they may weigh together. */
  mostWeight: number;
  /**
   * Does several tasks, and settles those that are done. The others stay in the queue.
   * @throws if the outcome of all is unknown
   */
  doTogether: (tasks: readonly JointTask<Item, Result>[]) => Promise<void>;
}

interface Waiting<Item, Result> {
  call: CallContext;
  /** Whether the call has changed nothing before this task. */
  isFirst: boolean;
  weight: number;
  /** Null: the task is done alone. */
  joint: JointTask<Item, Result> | null;
  isSettled: boolean;
  doAlone: () => Promise<void>;
  reject: (error: unknown) => void;
}

/**
 * A queue of tasks for each key, inside this process: first come, first served. Neighbours that wait and can be done
 * together take one turn. A queue that is empty is removed.
 */
export class TurnQueue<Item, Result> {
  readonly #settings: TurnQueueSettings<Item, Result>;
  readonly #queues = new Map<string, Waiting<Item, Result>[]>();

  constructor(settings: TurnQueueSettings<Item, Result>) {
    this.#settings = settings;
  }

  /** Does a task alone. @param call the call of the task. The queue waits for the task no longer than the call does */
  run<T>(key: string, task: () => Promise<T>, call: CallContext): Promise<T> {
    return new Promise((resolve, reject) => {
      const doAlone = async (): Promise<void> => task().then(resolve, reject);
      this.#add(key, { call, isFirst: call.isWaiting, weight: 0, joint: null, isSettled: false, doAlone, reject });
    });
  }

  /** Does a task together with others, or alone. @param weight what it adds to a turn */
  join(key: string, item: Item, weight: number, alone: () => Promise<Result>, call: CallContext): Promise<Result> {
    return new Promise((resolve, reject) => {
      const doAlone = async (): Promise<void> => alone().then(resolve, reject);
      const settle = (end: () => void): void => {
        waiting.isSettled = true;
        end();
      };
      const joint: JointTask<Item, Result> = {
        item,
        call,
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      };
      const waiting = { call, isFirst: call.isWaiting, weight, joint, isSettled: false, doAlone, reject };
      this.#add(key, waiting);
    });
  }

  #add(key: string, waiting: Waiting<Item, Result>): void {
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    const created = [waiting];
    this.#queues.set(key, created);
    void this.#work(key, created);
  }

  /** Never rejects. */
  async #work(key: string, queue: Waiting<Item, Result>[]): Promise<void> {
    let mostTasks = this.#settings.mostTasks;
    while (queue.length > 0) {
      const turn = this.#takeTurn(queue, mostTasks);
      const left = turn.length > 1 ? await this.#doTogether(turn) : turn;
      const isCut = turn.length > 1 && left.length > 0;
      // Each task that is left was sent in vain, so the next turn is smaller.
      mostTasks = isCut ? Math.max(1, turn.length - left.length) : Math.min(this.#settings.mostTasks, 2 * mostTasks);
      const [first, ...others] = left;
      for (const { call, isFirst } of others) call.isWaiting = isFirst;
      queue.unshift(...others);
      if (first !== undefined) await runAlone(first);
      // Callers that have their answer may bring their next task, and calls whose time is up end.
      await yieldToEventLoop();
    }
    this.#queues.delete(key);
  }

  /** Takes the tasks at the start that can be done together, or the first one alone. */
  #takeTurn(queue: Waiting<Item, Result>[], mostTasks: number): Waiting<Item, Result>[] {
    const turn: Waiting<Item, Result>[] = [];
    let weight = 0;
    let taken = 0;
    for (const waiting of queue) {
      const { call, joint } = waiting;
      weight += waiting.weight;
      const isTooMuch = joint === null || turn.length === mostTasks || weight > this.#settings.mostWeight;
      if (turn.length > 0 && isTooMuch && !call.aborted) break;
      taken += 1;
      if (call.aborted) {
        waiting.reject(call.reason);
        continue;
      }
      call.isWaiting = false;
      turn.push(waiting);
      if (joint === null) break;
    }
    queue.splice(0, taken);
    return turn;
  }

  /** @returns the tasks that are left */
  async #doTogether(turn: readonly Waiting<Item, Result>[]): Promise<Waiting<Item, Result>[]> {
    try {
      await this.#settings.doTogether(turn.flatMap(({ joint }) => joint ?? []));
      return turn.filter(({ isSettled }) => !isSettled);
    } catch (error) {
      for (const { isSettled, reject } of turn) if (!isSettled) reject(error);
      return [];
    }
  }
}

/** Ends with the task, or when the queue waits for it no longer. */
function runAlone({
  call,
  doAlone,
  reject,
}: Pick<Waiting<never, never>, "call" | "doAlone" | "reject">): Promise<void> {
  if (call.aborted) {
    reject(call.reason);
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const stopWatching = whenTurnIsOver(call, resolve);
    void doAlone()
      .catch(reject)
      .finally(() => {
        stopWatching();
        resolve();
      });
  });
}
